<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de_DE" sourcelanguage="en_US">
<context>
    <name>CoreSentences</name>
    <message>
        <source>the %1 has not been finite since step %2</source>
        <translation>%1: nicht endlich seit Schritt %2</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>no step for %1; a step takes %2</source>
        <translation>kein Schritt seit %1; ein Schritt dauert %2</translation>
    </message>
    <message>
        <source>a step takes %1; the prediction is %2, at most %3</source>
        <translation>ein Schritt dauert %1; vorhergesagt sind %2, höchstens %3</translation>
    </message>
    <message>
        <source>%1 of %2 in use</source>
        <translation>%1 von %2 belegt</translation>
    </message>
    <message>
        <source>%1 spent, %2 expected in total; the limit is %3</source>
        <translation>%1 ausgegeben, %2 insgesamt erwartet; die Grenze ist %3</translation>
    </message>
    <message>
        <source>%1 expected in total; the limit is %2</source>
        <translation>%1 insgesamt erwartet; die Grenze ist %2</translation>
    </message>
    <message>
        <source>a step has taken %1 since step %2; before, it took %3</source>
        <translation>ein Schritt dauert seit Schritt %2 %1; vorher waren es %3</translation>
    </message>
    <message>
        <source>the node has been idle for %1 at %2 per hour: %3 wasted</source>
        <translation>der Knoten ist seit %1 untätig, bei %2 pro Stunde: %3 vergeudet</translation>
    </message>
    <message>
        <source>no checkpoint since step %1; one is due every %2 steps</source>
        <translation>kein Checkpoint seit Schritt %1; fällig ist einer alle %2 Schritte</translation>
    </message>
    <message>
        <source>no step in the %1 since the start</source>
        <translation>noch kein Schritt seit dem Start vor %1</translation>
    </message>
    <message>
        <source>The log shows the output of the script; if it is empty, the script buffers its output or has not begun to train</source>
        <translation>Das Log zeigt die Ausgabe des Skripts; ist es leer, puffert das Skript seine Ausgabe oder trainiert noch nicht</translation>
    </message>
    <message>
        <source>a step waits %1 for data, %2 % of the step time: more data-loader workers or a faster disk would help</source>
        <translation>ein Schritt wartet %1 auf Daten, %2 % seiner Zeit: mehr Ladeprozesse oder ein schnellerer Datenträger würden helfen</translation>
    </message>
    <message>
        <source>a step waits %1 for communication, %2 % of the step time: the links between GPUs or nodes may be slower than planned</source>
        <translation>ein Schritt wartet %1 auf Kommunikation, %2 % seiner Zeit: die Verbindungen zwischen GPUs oder Knoten sind vielleicht langsamer als geplant</translation>
    </message>
    <message>
        <source>GPU %1 runs at %2 of at most %3 MHz: %4</source>
        <translation>GPU %1 läuft mit %2 von höchstens %3 MHz: %4</translation>
    </message>
    <message>
        <source>GPU %1 runs at %2 of at most %3 MHz at %4 °C: %5</source>
        <translation>GPU %1 läuft mit %2 von höchstens %3 MHz bei %4 °C: %5</translation>
    </message>
    <message>
        <source>throttled because of heat</source>
        <translation>die Wärme senkt den Takt</translation>
    </message>
    <message>
        <source>throttled by the node&apos;s power supply</source>
        <translation>die Stromversorgung des Knotens senkt den Takt</translation>
    </message>
    <message>
        <source>throttled by the hardware</source>
        <translation>die Hardware senkt den Takt</translation>
    </message>
    <message>
        <source>throttled by its power limit</source>
        <translation>ihre Leistungsgrenze senkt den Takt</translation>
    </message>
    <message>
        <source>it follows the clock of another GPU</source>
        <translation>sie folgt dem Takt einer anderen GPU</translation>
    </message>
    <message>
        <source>limited by a clock setting</source>
        <translation>für sie wurde ein niedrigerer Takt eingestellt</translation>
    </message>
    <message>
        <source>it is idle</source>
        <translation>sie ist untätig</translation>
    </message>
    <message>
        <source>the driver does not state the reason</source>
        <translation>der Treiber nennt keinen Grund</translation>
    </message>
    <message>
        <source>GPU %1 is at %2 °C: a GPU this hot lowers its clock</source>
        <translation>GPU %1 hat %2 °C: so heiß senkt eine GPU ihren Takt</translation>
    </message>
    <message>
        <source>the cause is not known: the run has no measurements of its GPUs by nvidia-smi</source>
        <translation>die Ursache ist nicht bekannt: der Lauf hat keine Messwerte seiner GPUs von nvidia-smi</translation>
    </message>
    <message>
        <source>the cause is not known: other programs may use the processor, or it is slower than estimated</source>
        <translation>die Ursache ist nicht bekannt: andere Programme nutzen vielleicht den Prozessor, oder er ist langsamer als geschätzt</translation>
    </message>
    <message>
        <source>one rank differs: the utilization of GPU %1 is %2 %, that of the others %3 %</source>
        <translation>ein Rank weicht ab: GPU %1 ist %2 % der Zeit ausgelastet, die anderen %3 %</translation>
    </message>
    <message>
        <source>GPU utilization is %1 %: the GPUs wait for data, for the CPU or for other work of the script</source>
        <translation>GPU-Auslastung %1 %: Die GPUs warten auf Daten, auf den Prozessor oder auf die Arbeit des Skripts</translation>
    </message>
    <message>
        <source>GPU utilization is %1 %: kernels are slower than planned, for example because of a lower clock or another attention kernel</source>
        <translation>GPU-Auslastung %1 %: Die Kernel sind langsamer als geplant, wie bei niedrigerem Takt oder einem anderen Attention-Kernel</translation>
    </message>
    <message>
        <source>GPU utilization is %1 %: kernels are slower than planned, for example because of another attention kernel</source>
        <translation>GPU-Auslastung %1 %: Die Kernel sind langsamer als geplant, wie bei einem anderen Attention-Kernel</translation>
    </message>
    <message>
        <source>memory peaks at %1 instead of %2: batch, sequence length, precision or attention kernel may differ from the plan</source>
        <translation>die Speicherspitze ist %1 statt %2: Batch, Sequenzlänge, Genauigkeit oder Attention-Kernel sind vielleicht nicht die des Plans</translation>
    </message>
    <message>
        <source>memory or disk ran out, or something was not permitted</source>
        <translation>Arbeitsspeicher oder Datenträger reichten nicht, oder etwas war nicht erlaubt</translation>
    </message>
    <message>
        <source>another rank failed</source>
        <translation>ein anderer Rank ist ausgefallen</translation>
    </message>
    <message>
        <source>data or a checkpoint is damaged</source>
        <translation>Daten oder ein Checkpoint sind beschädigt</translation>
    </message>
    <message>
        <source>diverged: the loss or the gradient norm was not finite</source>
        <translation>divergiert: Loss oder Gradientennorm waren nicht endlich</translation>
    </message>
    <message>
        <source>killed by signal %1; the system does this when memory runs out</source>
        <translation>durch Signal %1 beendet; das System tut das, wenn der Arbeitsspeicher ausgeht</translation>
    </message>
    <message>
        <source>killed by signal %1</source>
        <translation>durch Signal %1 beendet</translation>
    </message>
    <message>
        <source>the program could not be started; err.log or out.log says why</source>
        <translation>das Programm konnte nicht starten; err.log oder out.log nennt den Grund</translation>
    </message>
    <message>
        <source>its start was interrupted: none of its processes has reported</source>
        <translation>der Start wurde unterbrochen: keiner seiner Prozesse hat sich gemeldet</translation>
    </message>
    <message>
        <source>the start was requested, and no process has reported yet</source>
        <translation>der Start ist angefordert, und noch hat sich kein Prozess gemeldet</translation>
    </message>
    <message>
        <source>the start was requested; it has no job number yet</source>
        <translation>der Start ist angefordert; er hat noch keine Job-Nummer</translation>
    </message>
    <message>
        <source>the start was requested</source>
        <translation>der Start ist angefordert</translation>
    </message>
    <message>
        <source>its start was interrupted</source>
        <translation>der Start wurde unterbrochen</translation>
    </message>
    <message>
        <source>it was started outside Slipway, so its process is not known</source>
        <translation>er wurde außerhalb von Slipway gestartet, daher ist sein Prozess nicht bekannt</translation>
    </message>
    <message>
        <source>the run folder does not name its process</source>
        <translation>das Laufverzeichnis nennt seinen Prozess nicht</translation>
    </message>
    <message>
        <source>it was started on %1, which cannot be reached from here</source>
        <translation>er wurde auf %1 gestartet, das von hier nicht erreichbar ist</translation>
    </message>
    <message>
        <source>its machine was restarted while it ran</source>
        <translation>sein Rechner wurde neu gestartet, während er lief</translation>
    </message>
    <message>
        <source>this folder is a copy; the run itself is running in %1</source>
        <translation>dieser Ordner ist eine Kopie; der Lauf selbst läuft in %1</translation>
    </message>
    <message>
        <source>its processes are gone and there is no exit status</source>
        <translation>seine Prozesse sind verschwunden, und es gibt keinen Exit-Status</translation>
    </message>
    <message>
        <source>attached to its log</source>
        <translation>verfolgt über sein Log</translation>
    </message>
    <message>
        <source>its log is missing or cannot be read</source>
        <translation>sein Log fehlt oder kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the training script was started</source>
        <translation>das Trainingsskript wurde gestartet</translation>
    </message>
    <message>
        <source>none of the first %1 lines of the log has a step and a loss; set --framework or log_pattern to its format</source>
        <translation>keine der ersten %1 Zeilen des Logs nennt Schritt und Loss; --framework oder log_pattern sagt, wie sie gedruckt werden</translation>
    </message>
    <message>
        <source>%1; the other nodes were ended</source>
        <translation>%1; die anderen Knoten wurden beendet</translation>
    </message>
    <message>
        <source>%1; the other nodes are being ended</source>
        <translation>%1; die anderen Knoten werden beendet</translation>
    </message>
    <message>
        <source>%1 cannot be queried: %2</source>
        <translation>%1 kann nicht gefragt werden: %2</translation>
    </message>
    <message>
        <source>Slurm&apos;s controller does not answer: %1</source>
        <translation>Slurms Controller antwortet nicht: %1</translation>
    </message>
    <message>
        <source>Slurm ended the job at its time limit</source>
        <translation>Slurm hat den Job an seiner Zeitgrenze beendet</translation>
    </message>
    <message>
        <source>Slurm gave its nodes to another job</source>
        <translation>Slurm hat seine Knoten einem anderen Job gegeben</translation>
    </message>
    <message>
        <source>Slurm ended the job: it used more memory than it had requested</source>
        <translation>Slurm hat den Job beendet: Er brauchte mehr Speicher als angefordert</translation>
    </message>
    <message>
        <source>its node failed</source>
        <translation>sein Knoten ist ausgefallen</translation>
    </message>
    <message>
        <source>its job was cancelled</source>
        <translation>sein Job wurde abgebrochen</translation>
    </message>
    <message>
        <source>waits until nodes are free</source>
        <translation>wartet auf freie Knoten</translation>
    </message>
    <message>
        <source>waits for jobs of higher priority</source>
        <translation>wartet auf Jobs mit höherer Priorität</translation>
    </message>
    <message>
        <source>was just submitted</source>
        <translation>wurde gerade eingereicht</translation>
    </message>
    <message>
        <source>waits for its start time</source>
        <translation>wartet auf seine Startzeit</translation>
    </message>
    <message>
        <source>waits for another job</source>
        <translation>wartet auf einen anderen Job</translation>
    </message>
    <message>
        <source>is held; scontrol release lets it start</source>
        <translation>ist angehalten; scontrol release lässt ihn starten</translation>
    </message>
    <message>
        <source>is held by the cluster&apos;s administrator</source>
        <translation>ist von der Verwaltung des Clusters angehalten</translation>
    </message>
    <message>
        <source>requests more time than its partition allows, so it never starts: stop it, and lower time_limit</source>
        <translation>fordert mehr Zeit, als seine Partition erlaubt, und startet daher nie: Beenden Sie ihn, und verringern Sie time_limit</translation>
    </message>
    <message>
        <source>requests more than its partition allows, so it never starts: stop it, and request less</source>
        <translation>fordert mehr, als seine Partition erlaubt, und startet daher nie: Beenden Sie ihn, und fordern Sie weniger</translation>
    </message>
    <message>
        <source>waits for its partition, which is down</source>
        <translation>wartet auf seine Partition, die außer Betrieb ist</translation>
    </message>
    <message>
        <source>waits for nodes that are down or reserved</source>
        <translation>wartet auf Knoten, die außer Betrieb oder reserviert sind</translation>
    </message>
    <message>
        <source>could not be started by its node and is held; scontrol release lets it try again</source>
        <translation>konnte von seinem Knoten nicht gestartet werden und ist angehalten; nach scontrol release versucht er es erneut</translation>
    </message>
    <message>
        <source>waits for a node that is down</source>
        <translation>wartet auf einen Knoten, der außer Betrieb ist</translation>
    </message>
    <message>
        <source>its submission was interrupted: Slurm has no job of this run</source>
        <translation>die Einreichung wurde unterbrochen: Slurm hat keinen Job dieses Laufs</translation>
    </message>
    <message>
        <source>%1; Slurm&apos;s estimated start: %2</source>
        <translation>%1; von Slurm geschätzter Start: %2</translation>
    </message>
    <message>
        <source>Slurm refused the job: %1</source>
        <translation>Slurm hat den Job abgelehnt: %1</translation>
    </message>
    <message>
        <source>what the partitions allow (see sinfo); --sbatch OPTION changes the request</source>
        <translation>was die Partitionen erlauben (siehe sinfo); --sbatch OPTION ändert die Anforderung</translation>
    </message>
    <message>
        <source>no token file is given. Set --data to a file that slipway-train tokenize wrote</source>
        <translation>es ist keine Token-Datei angegeben. Setzen Sie --data auf eine Datei, die slipway-train tokenize geschrieben hat</translation>
    </message>
    <message>
        <source>%1 is simulated only: Slipway&apos;s trainer does not run it. Set --framework to slipway, or --command to the command of a training script. slipway attach follows a run started elsewhere</source>
        <translation>%1 wird nur simuliert: Der Trainer von Slipway führt es nicht aus. Setzen Sie --framework auf slipway oder --command auf den Befehl eines Trainingsskripts. slipway attach verfolgt einen anderswo gestarteten Lauf</translation>
    </message>
    <message>
        <source>slipway-train was found neither next to this program nor on PATH. Build it, or install the trainer&apos;s package</source>
        <translation>slipway-train wurde weder neben diesem Programm noch in PATH gefunden. Bauen Sie es, oder installieren Sie das Paket des Trainers</translation>
    </message>
    <message>
        <source>%1 is not an executable program</source>
        <translation>%1 ist kein ausführbares Programm</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 kann nicht gelesen werden: %2</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2</source>
        <translation>%1 kann nicht geschrieben werden: %2</translation>
    </message>
    <message>
        <source>%1 is empty</source>
        <translation>%1 ist leer</translation>
    </message>
    <message>
        <source>%1 is not a folder</source>
        <translation>%1 ist kein Ordner</translation>
    </message>
    <message>
        <source>%1 cannot hold the %2 of checkpoints: %3</source>
        <translation>%1 kann die %2 an Checkpoints nicht fassen: %3</translation>
    </message>
    <message>
        <source>%1 has %2 free, and the checkpoints need %3</source>
        <translation>%1 hat %2 frei, und die Checkpoints brauchen %3</translation>
    </message>
    <message>
        <source>%1 free, %2 needed for checkpoints, %3 for data</source>
        <translation>%1 frei, %2 für Checkpoints nötig, %3 für Daten</translation>
    </message>
    <message>
        <source>%1 free, %2 needed for checkpoints</source>
        <translation>%1 frei, %2 für Checkpoints nötig</translation>
    </message>
    <message>
        <source>%1 has %2 free. Checkpoints need %3 and data %4</source>
        <translation>%1 hat %2 frei. Checkpoints brauchen %3 und Daten %4</translation>
    </message>
    <message>
        <source>device is cuda, and this machine has no NVIDIA driver</source>
        <translation>device ist cuda, und dieser Rechner hat keinen NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>the plan is for %1, and this machine has no NVIDIA driver: it would train on the CPU</source>
        <translation>der Plan gilt für %1, und dieser Rechner hat keinen NVIDIA-Treiber: Er würde auf der CPU trainieren</translation>
    </message>
    <message>
        <source>the run could not be started: %1</source>
        <translation>der Lauf konnte nicht gestartet werden: %1</translation>
    </message>
    <message>
        <source>cannot be computed for the GPUs or the CPU of the host: %1</source>
        <translation>kann für die GPUs oder die CPU des Hosts nicht berechnet werden: %1</translation>
    </message>
    <message>
        <source>is predicted not to fit: %1; %2. --force starts it anyway</source>
        <translation>passt nach der Vorhersage nicht: %1; %2. --force startet trotzdem</translation>
    </message>
    <message>
        <source>a micro_batch of up to %1 fits</source>
        <translation>ein micro_batch bis %1 passt</translation>
    </message>
    <message>
        <source>not even a micro_batch of 1 fits</source>
        <translation>nicht einmal ein micro_batch von 1 passt</translation>
    </message>
    <message>
        <source>%1 of %2 on %3, planned for %4</source>
        <translation>%1 von %2 auf %3, geplant für %4</translation>
    </message>
    <message>
        <source>%1 of %2 on %3</source>
        <translation>%1 von %2 auf %3</translation>
    </message>
    <message>
        <source>%1, version %2</source>
        <translation>%1, Version %2</translation>
    </message>
    <message>
        <source>will be copied from %1</source>
        <translation>wird von %1 kopiert</translation>
    </message>
    <message>
        <source>slipway-train is neither in %1/bundle/bin nor on PATH there; copy the node bundle to %2/bundle</source>
        <translation>slipway-train ist dort weder in %1/bundle/bin noch in PATH; kopieren Sie das Node-Bundle nach %2/bundle</translation>
    </message>
    <message>
        <source>%1 is version %2, this program is %3; install the same version there</source>
        <translation>%1 hat Version %2, dieses Programm %3; installieren Sie dort dieselbe</translation>
    </message>
    <message>
        <source>%1 does not run there: %2</source>
        <translation>%1 läuft dort nicht: %2</translation>
    </message>
    <message>
        <source>is not installed on the host, and is needed to copy data</source>
        <translation>ist auf dem Host nicht installiert und wird zum Kopieren der Daten gebraucht</translation>
    </message>
    <message>
        <source>%1 (%2), already on the host</source>
        <translation>%1 (%2), schon auf dem Host</translation>
    </message>
    <message>
        <source>%1 (%2), will be copied</source>
        <translation>%1 (%2), wird kopiert</translation>
    </message>
    <message>
        <source>%1 is found neither on this machine nor on the host, or is empty</source>
        <translation>%1 gibt es weder auf diesem Rechner noch auf dem Host, oder die Datei ist leer</translation>
    </message>
    <message>
        <source>is %1 ahead of this machine&apos;s. The times in the run&apos;s files are the host&apos;s</source>
        <translation>geht %1 vor. Die Zeiten in den Dateien des Laufs sind die des Hosts</translation>
    </message>
    <message>
        <source>is %1 behind this machine&apos;s. The times in the run&apos;s files are the host&apos;s</source>
        <translation>geht %1 nach. Die Zeiten in den Dateien des Laufs sind die des Hosts</translation>
    </message>
    <message>
        <source>cpu, %1 cores</source>
        <translation>CPU, %1 Kerne</translation>
    </message>
    <message>
        <source>no NVIDIA driver was found there</source>
        <translation>dort antwortet kein NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>%1 needed, %2 found; %3</source>
        <translation>%1 nötig, %2 gefunden; %3</translation>
    </message>
    <message>
        <source>runs on several nodes need all of them (--on node1,node2), Slurm (--on slurm:) or a file of `slipway export`</source>
        <translation>Läufe auf mehreren Knoten brauchen alle (--on node1,node2), Slurm (--on slurm:) oder eine Datei von `slipway export`</translation>
    </message>
    <message>
        <source>%1 needed, %2 found</source>
        <translation>%1 nötig, %2 gefunden</translation>
    </message>
    <message>
        <source>%1 x %2, driver %3</source>
        <translation>%1 x %2, Treiber %3</translation>
    </message>
    <message>
        <source>made for %1. The host has no GPU to compare it with</source>
        <translation>gilt für %1. Der Host hat keine GPU zum Vergleich</translation>
    </message>
    <message>
        <source>%1 is too old: the trainer&apos;s LibTorch %2 needs driver %3 or newer, or NVIDIA&apos;s package cuda-compat-%4. %5</source>
        <translation>%1 ist zu alt: LibTorch %2 des Trainers braucht Treiber %3 oder neuer, oder NVIDIAs Paket cuda-compat-%4. %5</translation>
    </message>
    <message>
        <source>The last LibTorch that runs on it is %1.</source>
        <translation>Das letzte LibTorch, das damit läuft, ist %1.</translation>
    </message>
    <message>
        <source>%1 with %2 ranks each. All of them must find the run directory and the data at the same path</source>
        <translation>%1 mit je %2 Ranks. Alle müssen Laufverzeichnis und Daten unter demselben Pfad finden</translation>
    </message>
    <message>
        <source>%1, with %2 ranks each</source>
        <translation>%1, mit je %2 Ranks</translation>
    </message>
    <message>
        <source>%1 of %2 free on %3 nodes</source>
        <translation>%1 von %2 frei auf %3 Knoten</translation>
    </message>
    <message>
        <source>it cannot be determined whether the run is still running: %1</source>
        <translation>ob der Lauf noch läuft, lässt sich nicht feststellen: %1</translation>
    </message>
    <message>
        <source>there is no price per hour for &apos;%1&apos; to compare the budget with</source>
        <translation>für „%1“ gibt es keinen Stundenpreis, mit dem sich das Budget vergleichen ließe</translation>
    </message>
    <message>
        <source>start the trainer in its own process group, which outlives this program</source>
        <translation>den Trainer starten, in einer eigenen Prozessgruppe, die dieses Programm überdauert</translation>
    </message>
    <message>
        <source>start the command in its own process group, which outlives this program</source>
        <translation>den Befehl starten, in einer eigenen Prozessgruppe, die dieses Programm überdauert</translation>
    </message>
    <message>
        <source>make a folder for the trainer</source>
        <translation>einen Ordner für den Trainer anlegen</translation>
    </message>
    <message>
        <source>copy the trainer</source>
        <translation>den Trainer kopieren</translation>
    </message>
    <message>
        <source>rename it into place</source>
        <translation>an seinen Platz umbenennen</translation>
    </message>
    <message>
        <source>make its folder, unless it exists</source>
        <translation>seinen Ordner anlegen, falls er fehlt</translation>
    </message>
    <message>
        <source>copy %1, unless it exists</source>
        <translation>%1 kopieren, falls sie fehlen</translation>
    </message>
    <message>
        <source>copy its index</source>
        <translation>den Index dazu kopieren</translation>
    </message>
    <message>
        <source>make the run directory, with a number added to its name where the name is taken</source>
        <translation>das Laufverzeichnis anlegen, mit einer Nummer am Namen, wenn der Name vergeben ist</translation>
    </message>
    <message>
        <source>write run.yaml and prediction.json</source>
        <translation>run.yaml und prediction.json schreiben</translation>
    </message>
    <message>
        <source>submit this batch script</source>
        <translation>dieses Batch-Skript einreichen</translation>
    </message>
    <message>
        <source>its host key is not known here, so nothing was sent to it</source>
        <translation>sein Host-Schlüssel ist hier nicht bekannt, daher wurde nichts gesendet</translation>
    </message>
    <message>
        <source>a known key: connect once with ssh %1, compare the fingerprint that it shows with the host&apos;s own, and confirm</source>
        <translation>ein bekannter Schlüssel: Verbinden Sie sich einmal mit ssh %1, vergleichen Sie den gezeigten Fingerabdruck mit dem des Hosts, und bestätigen Sie</translation>
    </message>
    <message>
        <source>refuses the login: %1</source>
        <translation>verweigert die Anmeldung: %1</translation>
    </message>
    <message>
        <source>a key or an agent with which ssh %1 needs no prompt</source>
        <translation>ein Schlüssel oder Agent, mit dem ssh %1 nichts fragt</translation>
    </message>
    <message>
        <source>is not a host that this machine knows: %1</source>
        <translation>ist kein Host, den dieser Rechner kennt: %1</translation>
    </message>
    <message>
        <source>local, an alias of your ssh configuration, user@host, slurm:, slurm:ALIAS</source>
        <translation>local, ein Alias Ihrer SSH-Konfiguration, user@host, slurm:, slurm:ALIAS</translation>
    </message>
    <message>
        <source>cannot be reached: %1</source>
        <translation>ist nicht erreichbar: %1</translation>
    </message>
    <message>
        <source>cannot be reached</source>
        <translation>ist nicht erreichbar</translation>
    </message>
    <message>
        <source>is not a valid host name</source>
        <translation>ist kein gültiger Hostname</translation>
    </message>
    <message>
        <source>has no POSIX shell that answers: %1</source>
        <translation>hat keine POSIX-Shell, die antwortet: %1</translation>
    </message>
    <message>
        <source>the run directory cannot be found on the host now</source>
        <translation>das Laufverzeichnis ist auf dem Host zurzeit nicht zu finden</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a duration</source>
        <translation>„%1“ ist keine Dauer</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a number</source>
        <translation>„%1“ ist keine Zahl</translation>
    </message>
    <message>
        <source>%1 is out of range</source>
        <translation>%1 liegt außerhalb des Bereichs</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not an integer in range</source>
        <translation>„%1“ ist keine ganze Zahl im Bereich</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not an integer</source>
        <translation>„%1“ ist keine ganze Zahl</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is neither true nor false</source>
        <translation>„%1“ ist weder true noch false</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not the name of a framework</source>
        <translation>„%1“ ist kein Name eines Frameworks</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a valid value</source>
        <translation>„%1“ ist kein gültiger Wert</translation>
    </message>
    <message>
        <source>seconds, or a time such as 30m, 12h, 2d</source>
        <translation>Sekunden oder eine Zeit wie 30m, 12h, 2d</translation>
    </message>
    <message>
        <source>values separated by commas</source>
        <translation>Texte, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>items separated by commas</source>
        <translation>Einträge, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>the list has an empty item</source>
        <translation>die Liste hat einen leeren Eintrag</translation>
    </message>
    <message>
        <source>paths separated by commas, each optionally with a weight: a.bin=0.7</source>
        <translation>Pfade, durch Kommas getrennt, wahlweise mit Gewicht: a.bin=0.7</translation>
    </message>
    <message>
        <source>the path of a data source is missing</source>
        <translation>der Pfad einer Datenquelle fehlt</translation>
    </message>
    <message>
        <source>a number above 0</source>
        <translation>eine Zahl über 0</translation>
    </message>
    <message>
        <source>custom, %1</source>
        <translation>eigene Form, %1</translation>
    </message>
    <message>
        <source>no model is given</source>
        <translation>es ist kein Modell angegeben</translation>
    </message>
    <message>
        <source>a preset such as 1B, a public model, a size such as 700M, or a file</source>
        <translation>eine Vorlage wie 1B, ein veröffentlichtes Modell, eine Größe wie 700M oder eine Datei</translation>
    </message>
    <message>
        <source>unknown calibration &apos;%1&apos;; there are no calibrations yet</source>
        <translation>unbekannte Kalibrierung „%1“; es gibt noch keine Kalibrierungen</translation>
    </message>
    <message>
        <source>the mesh has an axis of %1 ranks</source>
        <translation>das Mesh hat eine Achse mit %1 Ranks</translation>
    </message>
    <message>
        <source>%1 ranks are not a multiple of tp x pp x cp = %2</source>
        <translation>%1 Ranks sind kein Vielfaches von tp x pp x cp = %2</translation>
    </message>
    <message>
        <source>none needs a single data-parallel rank; this mesh has %1</source>
        <translation>none braucht einen einzigen datenparallelen Rank; dieses Mesh hat %1</translation>
    </message>
    <message>
        <source>ddp, fsdp-full, fsdp-grad-op, hsdp or zero1; or --gpus %1</source>
        <translation>ddp, fsdp-full, fsdp-grad-op, hsdp oder zero1; oder --gpus %1</translation>
    </message>
    <message>
        <source>the tensor-parallel size %1 does not divide the %2 attention heads</source>
        <translation>die Tensor-Parallel-Größe %1 teilt die %2 Attention-Heads nicht</translation>
    </message>
    <message>
        <source>the tensor-parallel size %1 neither divides nor is a multiple of the %2 key-value heads</source>
        <translation>die Tensor-Parallel-Größe %1 ist weder Teiler noch Vielfaches der %2 Key-Value-Heads</translation>
    </message>
    <message>
        <source>%1 pipeline stages exceed the %2 layers</source>
        <translation>%1 Pipeline-Stufen sind mehr als die %2 Layer</translation>
    </message>
    <message>
        <source>%1 model chunks on each of %2 stages do not divide the %3 layers</source>
        <translation>%1 Modellteile auf jeder von %2 Stufen teilen die %3 Layer nicht</translation>
    </message>
    <message>
        <source>%1 model chunks on each of %2 stages leave one without a layer</source>
        <translation>%1 Modellteile auf jeder von %2 Stufen lassen einen ohne Layer</translation>
    </message>
    <message>
        <source>%1 orders the micro-batches of a pipeline; this mesh has one stage</source>
        <translation>%1 ordnet die Micro-Batches einer Pipeline; dieses Mesh hat eine Stufe</translation>
    </message>
    <message>
        <source>an interleaved pipeline has several model chunks per stage, not 1</source>
        <translation>eine verschränkte Pipeline hat mehrere Modellteile pro Stufe, nicht 1</translation>
    </message>
    <message>
        <source>a pipeline with the schedule %1 has one model chunk per stage, not %2</source>
        <translation>eine Pipeline mit dem Ablauf %1 hat einen Modellteil pro Stufe, nicht %2</translation>
    </message>
    <message>
        <source>expert-parallel size %1 is given for a model without experts</source>
        <translation>die Expert-Parallel-Größe %1 ist für ein Modell ohne Experten angegeben</translation>
    </message>
    <message>
        <source>the expert-parallel size %1 does not divide the %2 experts</source>
        <translation>die Expert-Parallel-Größe %1 teilt die %2 Experten nicht</translation>
    </message>
    <message>
        <source>the expert-parallel size %1 does not divide the %2 data- and context-parallel ranks</source>
        <translation>die Expert-Parallel-Größe %1 teilt die %2 daten- und kontextparallelen Ranks nicht</translation>
    </message>
    <message>
        <source>the expert-parallel size %1 does not divide the %2 ranks of a sharding group</source>
        <translation>die Expert-Parallel-Größe %1 teilt die %2 Ranks einer Sharding-Gruppe nicht</translation>
    </message>
    <message>
        <source>%1, or --parallel fsdp-full</source>
        <translation>%1, oder --parallel fsdp-full</translation>
    </message>
    <message>
        <source>the context-parallel size %1 does not divide the sequence length %2</source>
        <translation>die Context-Parallel-Größe %1 teilt die Sequenzlänge %2 nicht</translation>
    </message>
    <message>
        <source>gathered keys are planned for Slipway&apos;s trainer only</source>
        <translation>gesammelte Keys werden nur für Slipways Trainer geplant</translation>
    </message>
    <message>
        <source>auto, ring or all-to-all; or --framework slipway</source>
        <translation>auto, ring oder all-to-all; oder --framework slipway</translation>
    </message>
    <message>
        <source>sequence length %1 exceeds the %2 positions of the model</source>
        <translation>die Sequenzlänge %1 überschreitet die %2 Positionen des Modells</translation>
    </message>
    <message>
        <source>%1 ranks do not fill whole nodes of %2</source>
        <translation>%1 Ranks füllen keine ganzen Knoten von %2</translation>
    </message>
    <message>
        <source>%1 data- and context-parallel ranks are not a multiple of the %2 that share a node</source>
        <translation>%1 daten- und kontextparallele Ranks sind kein Vielfaches der %2, die einen Knoten teilen</translation>
    </message>
    <message>
        <source>a multiple of --gpus-per-node, or --parallel fsdp-full</source>
        <translation>ein Vielfaches von --gpus-per-node, oder --parallel fsdp-full</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 oder %2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source>1, or a model with experts (--experts)</source>
        <translation>1, oder ein Modell mit Experten (--experts)</translation>
    </message>
    <message>
        <source>1, or --pp 2 or more</source>
        <translation>1, oder --pp 2 oder mehr</translation>
    </message>
    <message>
        <source>auto, or --pp 2 or more</source>
        <translation>auto, oder --pp 2 oder mehr</translation>
    </message>
    <message>
        <source>2 or more, or --pipeline-schedule 1f1b</source>
        <translation>2 oder mehr, oder --pipeline-schedule 1f1b</translation>
    </message>
    <message>
        <source>1, or --pipeline-schedule interleaved</source>
        <translation>1, oder --pipeline-schedule interleaved</translation>
    </message>
    <message>
        <source>1, or a number of layers that %1 divides</source>
        <translation>1, oder eine Zahl von Layern, die %1 teilt</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not an op that can be recomputed selectively</source>
        <translation>„%1“ ist keine Op, die einzeln neu berechnet werden kann</translation>
    </message>
    <message>
        <source>a list of ops has no effect with --recompute %1</source>
        <translation>eine Liste von Ops wirkt nicht bei --recompute %1</translation>
    </message>
    <message>
        <source>a micro-batch of %1 tokens is too large to plan for this model</source>
        <translation>ein Micro-Batch von %1 Tokens ist für einen Plan dieses Modells zu groß</translation>
    </message>
    <message>
        <source>fewer or shorter sequences</source>
        <translation>weniger oder kürzere Sequenzen</translation>
    </message>
    <message>
        <source>a global batch of %1 tokens is too large to plan</source>
        <translation>ein globaler Batch von %1 Tokens ist für einen Plan zu groß</translation>
    </message>
    <message>
        <source>fewer micro-batches or ranks</source>
        <translation>weniger Micro-Batches oder Ranks</translation>
    </message>
    <message>
        <source>a model of %1 parameters is too large to plan</source>
        <translation>ein Modell mit %1 Parametern ist für einen Plan zu groß</translation>
    </message>
    <message>
        <source>a smaller model</source>
        <translation>ein kleineres Modell</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a kind of weights</source>
        <translation>„%1“ ist keine Art von Gewichten</translation>
    </message>
    <message>
        <source>the head of %1 shares the weights of the embedding</source>
        <translation>der Head von %1 teilt die Gewichte des Embeddings</translation>
    </message>
    <message>
        <source>training data cannot have a name</source>
        <translation>Trainingsdaten können keinen Namen haben</translation>
    </message>
    <message>
        <source>names in --eval-data only</source>
        <translation>Namen nur in --eval-data</translation>
    </message>
    <message>
        <source>there are %1 evaluation sets</source>
        <translation>es gibt %1 Evaluationsmengen</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>höchstens %1</translation>
    </message>
    <message>
        <source>at most the peak learning rate</source>
        <translation>höchstens die größte Lernrate</translation>
    </message>
    <message>
        <source>%1 exceeds the peak learning rate %2</source>
        <translation>%1 überschreitet die größte Lernrate %2</translation>
    </message>
    <message>
        <source>the learning rates of the embeddings and the head need a learning_rate above 0</source>
        <translation>die Lernraten von Embedding und Head brauchen eine learning_rate über 0</translation>
    </message>
    <message>
        <source>%1 has no experts</source>
        <translation>%1 hat keine Experten</translation>
    </message>
    <message>
        <source>false, or a model with experts</source>
        <translation>false, oder ein Modell mit Experten</translation>
    </message>
    <message>
        <source>%1 has no factors for these losses</source>
        <translation>%1 hat keine Faktoren für diese Losses</translation>
    </message>
    <message>
        <source>no weights are frozen</source>
        <translation>es sind keine Gewichte eingefroren</translation>
    </message>
    <message>
        <source>whole, or --lora-rank above 0</source>
        <translation>whole, oder --lora-rank über 0</translation>
    </message>
    <message>
        <source>rank %1 exceeds the hidden size %2 of %3</source>
        <translation>der Rang %1 überschreitet die Hidden Size %2 von %3</translation>
    </message>
    <message>
        <source>a rank of at most the hidden size</source>
        <translation>ein Rang von höchstens der Hidden Size</translation>
    </message>
    <message>
        <source>%1 has experts, for which LoRA is not supported</source>
        <translation>%1 hat Experten, mit denen LoRA nicht unterstützt wird</translation>
    </message>
    <message>
        <source>0, or a dense model</source>
        <translation>0, oder ein dichtes Modell</translation>
    </message>
    <message>
        <source>LoRA is not supported with tensor or pipeline parallelism</source>
        <translation>LoRA wird mit Tensor- oder Pipeline-Parallelisierung nicht unterstützt</translation>
    </message>
    <message>
        <source>0, or --tp 1 --pp 1</source>
        <translation>0, oder --tp 1 --pp 1</translation>
    </message>
    <message>
        <source>LoRA is not supported with fp8-mixed precision</source>
        <translation>LoRA wird mit der Genauigkeit fp8-mixed nicht unterstützt</translation>
    </message>
    <message>
        <source>LoRA is not supported with Megatron</source>
        <translation>LoRA wird mit Megatron nicht unterstützt</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a version</source>
        <translation>„%1“ ist keine Version</translation>
    </message>
    <message>
        <source>a version such as 1.12 or 2.5</source>
        <translation>eine Version wie 1.12 oder 2.5</translation>
    </message>
    <message>
        <source>Slipway&apos;s trainer does not support %1: it has %2</source>
        <translation>Slipways Trainer unterstützt %1 nicht: Es hat %2</translation>
    </message>
    <message>
        <source>Slipway&apos;s trainer does not support &apos;%1&apos;</source>
        <translation>Slipways Trainer unterstützt „%1“ nicht</translation>
    </message>
    <message>
        <source>1 or more, because it drops no token</source>
        <translation>1 oder mehr, weil er kein Token verwirft</translation>
    </message>
    <message>
        <source>%1; --framework pytorch-eager, pytorch-compile or megatron plans more</source>
        <translation>%1; --framework pytorch-eager, pytorch-compile oder megatron plant mehr</translation>
    </message>
    <message>
        <source>RMSNorm without weights, or with biases</source>
        <translation>RMSNorm ohne Gewichte oder mit Biases</translation>
    </message>
    <message>
        <source>LayerNorm of queries and keys</source>
        <translation>LayerNorm von Queries und Keys</translation>
    </message>
    <message>
        <source>LayerNorm with weights stored minus 1</source>
        <translation>LayerNorm mit um 1 vermindert gespeicherten Gewichten</translation>
    </message>
    <message>
        <source>attention sinks</source>
        <translation>Attention Sinks</translation>
    </message>
    <message>
        <source>RoPE scaling &apos;dynamic&apos;</source>
        <translation>RoPE-Skalierung „dynamic“</translation>
    </message>
    <message>
        <source>parallel branches with norms after them</source>
        <translation>parallele Zweige mit nachfolgenden Norms</translation>
    </message>
    <message>
        <source>experts with a capacity</source>
        <translation>Experten mit einer Kapazität</translation>
    </message>
    <message>
        <source>experts with biases</source>
        <translation>Experten mit Biases</translation>
    </message>
    <message>
        <source>an MLP with a limited gate</source>
        <translation>ein MLP mit begrenztem Gate</translation>
    </message>
    <message>
        <source>experts in fp8</source>
        <translation>Experten in fp8</translation>
    </message>
    <message>
        <source>--precision bf16-mixed; %1</source>
        <translation>--precision bf16-mixed; %1</translation>
    </message>
    <message>
        <source>megatron, pytorch-eager or pytorch-compile, which plan it; or another model</source>
        <translation>megatron, pytorch-eager oder pytorch-compile, die es planen; oder ein anderes Modell</translation>
    </message>
    <message>
        <source>%1 has learned positions for %2 tokens; the sequence has %3</source>
        <translation>%1 hat gelernte Positionen für %2 Tokens; die Sequenz hat %3</translation>
    </message>
    <message>
        <source>Slipway&apos;s trainer does not split %1 tokens into 2 x %2 equal chunks</source>
        <translation>Slipways Trainer teilt %1 Tokens nicht in 2 x %2 gleiche Stücke</translation>
    </message>
    <message>
        <source>%1, or another --seq-len</source>
        <translation>%1, oder eine andere --seq-len</translation>
    </message>
    <message>
        <source>Slipway&apos;s trainer does not run context parallelism as an all-to-all over heads</source>
        <translation>Slipways Trainer führt Context-Parallelisierung nicht als All-to-all über Heads aus</translation>
    </message>
    <message>
        <source>auto, gather or ring</source>
        <translation>auto, gather oder ring</translation>
    </message>
    <message>
        <source>&apos;ring&apos; does not run with vanilla attention, because no rank has all scores of a query</source>
        <translation>&apos;ring&apos; läuft nicht mit Vanilla-Attention, weil kein Rank alle Scores einer Query hat</translation>
    </message>
    <message>
        <source>auto or gather, or --attention flash</source>
        <translation>auto oder gather, oder --attention flash</translation>
    </message>
    <message>
        <source>gpipe holds all %1 micro-batches of a step</source>
        <translation>gpipe hält alle %1 Micro-Batches eines Schritts</translation>
    </message>
    <message>
        <source>an interleaved pipeline of %1 stages does not run a step of %2 micro-batches</source>
        <translation>eine verschränkte Pipeline mit %1 Stufen führt keinen Schritt aus %2 Micro-Batches aus</translation>
    </message>
    <message>
        <source>Slipway&apos;s trainer does not keep documents apart over %1 context-parallel ranks in %2</source>
        <translation>Slipways Trainer hält Dokumente in %2 nicht über %1 Context-Parallel-Ranks getrennt</translation>
    </message>
    <message>
        <source>%1, or --precision fp32, or documents: packed</source>
        <translation>%1, oder --precision fp32, oder documents: packed</translation>
    </message>
    <message>
        <source>%1 with --parallel ddp, or %2 with --gpus %3</source>
        <translation>%1 mit --parallel ddp oder %2 mit --gpus %3</translation>
    </message>
    <message>
        <source>%1 with --parallel ddp</source>
        <translation>%1 mit --parallel ddp</translation>
    </message>
    <message>
        <source>%1 with --gpus %2</source>
        <translation>%1 mit --gpus %2</translation>
    </message>
    <message>
        <source>fp8 GEMMs need multiples of %1; %2 is %3</source>
        <translation>fp8-GEMMs brauchen Vielfache von %1; %2 ist %3</translation>
    </message>
    <message>
        <source>a multiple of %1, or --precision bf16-mixed</source>
        <translation>ein Vielfaches von %1, oder --precision bf16-mixed</translation>
    </message>
    <message>
        <source>the hidden size</source>
        <translation>die Hidden Size</translation>
    </message>
    <message>
        <source>the width of all query heads</source>
        <translation>die Breite aller Query-Heads</translation>
    </message>
    <message>
        <source>the width of all key-value heads</source>
        <translation>die Breite aller Key-Value-Heads</translation>
    </message>
    <message>
        <source>the width of one rank&apos;s query heads</source>
        <translation>die Breite der Query-Heads eines Ranks</translation>
    </message>
    <message>
        <source>the width of one rank&apos;s key-value heads</source>
        <translation>die Breite der Key-Value-Heads eines Ranks</translation>
    </message>
    <message>
        <source>a smaller --tp, or --precision bf16-mixed</source>
        <translation>eine kleinere --tp, oder --precision bf16-mixed</translation>
    </message>
    <message>
        <source>training on a CPU needs fp32, not %1</source>
        <translation>Training auf einer CPU braucht fp32, nicht %1</translation>
    </message>
    <message>
        <source>mean error %1 over %2 published runs on the %3 with %4</source>
        <translation>mittlerer Fehler %1 über %2 veröffentlichte Läufe auf der %3 mit %4</translation>
    </message>
    <message>
        <source>Speed: %1.</source>
        <translation>Geschwindigkeit: %1.</translation>
    </message>
    <message>
        <source>Memory: %1.</source>
        <translation>Speicher: %1.</translation>
    </message>
    <message>
        <source>Assumed: %1 Gbit/s of network bandwidth per node (%2); --network-gbps sets another value.</source>
        <translation>Angenommen: %1 Gbit/s Netzwerkbandbreite pro Knoten (%2); --network-gbps setzt einen anderen Wert.</translation>
    </message>
    <message>
        <source>usual for nodes with this GPU</source>
        <translation>üblich für Knoten mit dieser GPU</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is read as the %2. Machines with up to %3 of these GPUs often have the slower PCIe version: --gpu %4.</source>
        <translation>„%1“ wird als %2 gelesen. Rechner mit bis zu %3 dieser GPUs haben oft die langsamere PCIe-Version: --gpu %4.</translation>
    </message>
    <message>
        <source>The %1 does not support bf16 GEMMs. The predicted time is that of fp16; use --precision fp16-mixed.</source>
        <translation>Die %1 unterstützt keine bf16-GEMMs. Die vorhergesagte Zeit ist die von fp16; verwenden Sie --precision fp16-mixed.</translation>
    </message>
    <message>
        <source>The sequence length of %1 tokens exceeds the context length of %2 (%3 tokens). Pre-trained weights were trained on shorter sequences only.</source>
        <translation>Die Sequenzlänge von %1 Token überschreitet die Kontextlänge von %2 (%3 Token). Vortrainierte Gewichte wurden nur mit kürzeren Sequenzen trainiert.</translation>
    </message>
    <message>
        <source>All ranks share the cores and the memory of this CPU.</source>
        <translation>Alle Ranks teilen sich die Kerne und den Speicher dieser CPU.</translation>
    </message>
    <message>
        <source>The default token budget, 20 tokens per parameter, is meant for training from scratch. Adapters usually need far fewer tokens; set your budget with --tokens.</source>
        <translation>Das vorgegebene Token-Budget von 20 Tokens je Parameter ist für ein Training von Grund auf gedacht. Adapter brauchen meist weit weniger Tokens; setzen Sie Ihr Budget mit --tokens.</translation>
    </message>
    <message>
        <source>Hours and cost cover training steps only. In long published runs, steps took %1 % of the time; evaluation, restarts and idle nodes took the rest.</source>
        <translation>Stunden und Kosten umfassen nur Trainingsschritte. In langen veröffentlichten Läufen brauchten Schritte %1 % der Zeit; den Rest brauchten Evaluation, Neustarts und untätige Knoten.</translation>
    </message>
    <message>
        <source>Assumed: routing is even; each of the %1 experts of a rank processes %2 tokens, and %3. Load imbalance is not modeled; --expert-capacity above 1 plans for it.</source>
        <translation>Angenommen: gleichmäßiges Routing; jeder der %1 Experten eines Ranks verarbeitet %2 Tokens, und %3. Ungleiche Last ist nicht modelliert; --expert-capacity über 1 plant sie ein.</translation>
    </message>
    <message>
        <source>Assumed: routing is even; each of the %1 experts processes %2 tokens. No token is dropped. Without expert parallelism, uneven routing changes neither memory nor the rows of a rank.</source>
        <translation>Angenommen: gleichmäßiges Routing; jeder der %1 Experten verarbeitet %2 Tokens. Kein Token wird verworfen. Ohne Expert-Parallel-Ranks ändert ungleiches Routing weder den Speicher noch die Zeilen eines Ranks.</translation>
    </message>
    <message>
        <source>Assumed: routing is even; each of the %1 experts of a rank processes %2 tokens. No token is dropped, and memory suffices for every routing. --expert-capacity above 1 plans the time of a busier rank.</source>
        <translation>Angenommen: gleichmäßiges Routing; jeder der %1 Experten eines Ranks verarbeitet %2 Tokens. Kein Token wird verworfen, und der Speicher reicht für jedes Routing. --expert-capacity über 1 plant die Zeit eines stärker ausgelasteten Ranks.</translation>
    </message>
    <message>
        <source>Assumed: the busiest rank gets %1 times its even share of tokens, which determines the step time. No token is dropped, and memory suffices for every routing.</source>
        <translation>Angenommen: der am stärksten ausgelastete Rank erhält das %1-Fache seines gleichmäßigen Anteils der Tokens, was die Schrittdauer bestimmt. Kein Token wird verworfen, und der Speicher reicht für jedes Routing.</translation>
    </message>
    <message>
        <source>further tokens are dropped</source>
        <translation>weitere Tokens werden verworfen</translation>
    </message>
    <message>
        <source>no token is dropped</source>
        <translation>kein Token wird verworfen</translation>
    </message>
    <message>
        <source>Assumed: all-to-all communication does not overlap with computation and uses the links of the ranks&apos; nodes.</source>
        <translation>Angenommen: All-to-all-Kommunikation überlappt nicht mit Rechnung und nutzt die Verbindungen der Knoten.</translation>
    </message>
    <message>
        <source>Assumed: experts run one after another, as in Transformers before version 5; --expert-gemm grouped or --torch 2.9 plans grouped GEMMs.</source>
        <translation>Angenommen: Experten laufen nacheinander, wie in Transformers vor Version 5; --expert-gemm grouped oder --torch 2.9 plant gruppierte GEMMs.</translation>
    </message>
    <message>
        <source>Assumed: experts run one after another; --expert-gemm grouped plans one grouped GEMM.</source>
        <translation>Angenommen: Experten laufen nacheinander; --expert-gemm grouped plant ein gruppiertes GEMM.</translation>
    </message>
    <message>
        <source>start the trainer there in its own process group, which outlives the connection</source>
        <translation>dort den Trainer starten, in einer eigenen Prozessgruppe, die das Ende der Verbindung überlebt</translation>
    </message>
    <message>
        <source>start the command there in its own process group, which outlives the connection</source>
        <translation>dort den Befehl starten, in einer eigenen Prozessgruppe, die das Ende der Verbindung überlebt</translation>
    </message>
    <message>
        <source>its host key has changed, so nothing was sent to it. Either the machine was reinstalled, or another machine answers in its place. The key that was received is %1; the known one is in %2</source>
        <translation>der Host-Schlüssel hat sich geändert, deshalb wurde nichts gesendet. Entweder wurde der Rechner neu eingerichtet, oder ein anderer antwortet an seiner Stelle. Jetzt antwortet der Schlüssel %1; der bekannte steht in %2</translation>
    </message>
    <message>
        <source>the known key. Where the host&apos;s administrator confirms the new one: remove the old one with ssh-keygen -R, connect once with ssh %1, and compare its fingerprint</source>
        <translation>der bekannte Schlüssel. Bestätigt der Administrator des Hosts den neuen: den alten mit ssh-keygen -R entfernen, einmal mit ssh %1 verbinden und den Fingerabdruck vergleichen</translation>
    </message>
    <message>
        <source>asks for a password or a second factor, which Slipway does not prompt for: %1</source>
        <translation>verlangt ein Passwort oder einen zweiten Faktor, wonach Slipway nicht fragt: %1</translation>
    </message>
    <message>
        <source>%1; or a connection that you open yourself, which is then used: %2</source>
        <translation>%1; oder eine Verbindung, die Sie selbst öffnen und die dann benutzt wird: %2</translation>
    </message>
    <message>
        <source>did not answer as expected: ssh %1</source>
        <translation>antwortet nicht wie erwartet: ssh %1</translation>
    </message>
    <message>
        <source>its answer is incomplete, or is not that of a POSIX shell</source>
        <translation>die Antwort ist abgeschnitten oder stammt nicht von einer POSIX-Shell</translation>
    </message>
    <message>
        <source>its answer is incomplete</source>
        <translation>die Antwort ist abgeschnitten</translation>
    </message>
    <message>
        <source>its answer lists more than %1 entries of one kind</source>
        <translation>die Antwort zählt mehr als %1 Dinge einer Art auf</translation>
    </message>
    <message>
        <source>reports &apos;%1&apos; as its folder for Slipway</source>
        <translation>nennt als seinen Ordner für Slipway „%1“</translation>
    </message>
    <message>
        <source>an absolute path without control characters</source>
        <translation>ein absoluter Pfad ohne Steuerzeichen</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not an absolute path</source>
        <translation>„%1“ ist kein absoluter Pfad</translation>
    </message>
    <message>
        <source>only follows the log of a training run that was started without Slipway</source>
        <translation>verfolgt nur das Log eines Trainings, das ohne Slipway gestartet wurde</translation>
    </message>
    <message>
        <source>a host that slipway launch takes</source>
        <translation>ein Host, den slipway launch annimmt</translation>
    </message>
    <message>
        <source>the start was not confirmed: %1. `slipway watch` shows whether it runs, once the host answers</source>
        <translation>der Start wurde nicht bestätigt: %1. `slipway watch` zeigt, ob der Lauf läuft, sobald der Host antwortet</translation>
    </message>
    <message>
        <source>the start was not confirmed. `slipway watch` shows whether it runs</source>
        <translation>der Start wurde nicht bestätigt. `slipway watch` zeigt, ob der Lauf läuft</translation>
    </message>
    <message>
        <source>a directory that can be written</source>
        <translation>ein beschreibbares Verzeichnis</translation>
    </message>
    <message>
        <source>did not report which run directories it created</source>
        <translation>meldet nicht, welche Laufverzeichnisse angelegt wurden</translation>
    </message>
    <message>
        <source>the copied trainer: %1</source>
        <translation>der kopierte Trainer: %1</translation>
    </message>
    <message>
        <source>has no checkpoint yet: %1</source>
        <translation>hat noch keinen Checkpoint: %1</translation>
    </message>
    <message>
        <source>has %1 free, and the checkpoint takes %2</source>
        <translation>hat %1 frei, und der Checkpoint braucht %2</translation>
    </message>
    <message>
        <source>another program is fetching files of this run</source>
        <translation>ein anderes Programm holt gerade Dateien dieses Laufs</translation>
    </message>
    <message>
        <source>the copy of the run cannot be written: %1</source>
        <translation>die Kopie des Laufs kann nicht geschrieben werden: %1</translation>
    </message>
    <message>
        <source>cannot be read: %1</source>
        <translation>kann nicht gelesen werden: %1</translation>
    </message>
    <message>
        <source>cannot be written: %1</source>
        <translation>kann nicht geschrieben werden: %1</translation>
    </message>
    <message>
        <source>Slurm&apos;s controller did not confirm: %1</source>
        <translation>Slurms Controller hat nicht bestätigt: %1</translation>
    </message>
    <message>
        <source>did not report which job it created: %1</source>
        <translation>nennt nicht, welcher Job angelegt wurde: %1</translation>
    </message>
    <message>
        <source>the file has no known format</source>
        <translation>die Datei hat kein bekanntes Format</translation>
    </message>
    <message>
        <source>a configuration or grid (YAML), a model&apos;s config.json, a run directory, exported metrics (CSV, JSON), a price list (CSV), a measurement table (CSV) or a training log</source>
        <translation>eine Konfiguration oder ein Raster (YAML), die config.json eines Modells, ein Laufverzeichnis, exportierte Metriken (CSV, JSON), eine Preisliste (CSV), eine Messtabelle (CSV) oder ein Trainingslog</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>diese Datei gibt es nicht</translation>
    </message>
    <message>
        <source>the file cannot be read</source>
        <translation>die Datei kann nicht gelesen werden</translation>
    </message>
    <message>
        <source>the folder is not a run directory</source>
        <translation>der Ordner ist kein Laufverzeichnis</translation>
    </message>
    <message>
        <source>a folder with metrics.jsonl, or with the config.json of a model</source>
        <translation>ein Ordner mit metrics.jsonl oder mit der config.json eines Modells</translation>
    </message>
    <message>
        <source>the draft is damaged</source>
        <translation>der Entwurf ist beschädigt</translation>
    </message>
    <message>
        <source>the draft is from another version of Slipway</source>
        <translation>der Entwurf stammt von einer anderen Version von Slipway</translation>
    </message>
    <message>
        <source>a draft that this program wrote</source>
        <translation>ein Entwurf, den dieses Programm geschrieben hat</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not a valid host name</source>
        <translation>„%1“ ist kein gültiger Hostname</translation>
    </message>
    <message>
        <source>an alias from ~/.ssh/config, user@host, or slurm:alias</source>
        <translation>ein Alias aus ~/.ssh/config, user@host oder slurm:alias</translation>
    </message>
    <message>
        <source>there are no results to export yet</source>
        <translation>es gibt noch keine Ergebnisse zum Exportieren</translation>
    </message>
    <message>
        <source>nothing has been planned yet</source>
        <translation>es wurde noch nichts geplant</translation>
    </message>
    <message>
        <source>the export was cancelled</source>
        <translation>der Export wurde abgebrochen</translation>
    </message>
    <message>
        <source>the picture could not be drawn</source>
        <translation>das Bild konnte nicht gezeichnet werden</translation>
    </message>
    <message>
        <source>has no values</source>
        <translation>hat keine Werte</translation>
    </message>
    <message>
        <source>one or more</source>
        <translation>einer oder mehrere</translation>
    </message>
    <message>
        <source>the grid varies no setting</source>
        <translation>das Raster variiert keine Einstellung</translation>
    </message>
    <message>
        <source>one or more settings</source>
        <translation>eine oder mehrere Einstellungen</translation>
    </message>
    <message>
        <source>the grid has too many points</source>
        <translation>das Raster hat zu viele Punkte</translation>
    </message>
    <message>
        <source>the run has not ended</source>
        <translation>der Lauf ist noch nicht zu Ende</translation>
    </message>
    <message>
        <source>cannot be removed: %1</source>
        <translation>kann nicht entfernt werden: %1</translation>
    </message>
    <message>
        <source>cannot be moved to the trash. The run is unchanged</source>
        <translation>kann nicht in den Papierkorb verschoben werden. Der Lauf ist unverändert</translation>
    </message>
    <message>
        <source>was never started</source>
        <translation>wurde nie gestartet</translation>
    </message>
    <message>
        <source>cannot be stopped: %1</source>
        <translation>kann nicht angehalten werden: %1</translation>
    </message>
    <message>
        <source>still runs after SIGKILL</source>
        <translation>läuft trotz SIGKILL weiter</translation>
    </message>
    <message>
        <source>was started without Slipway; only its log is followed</source>
        <translation>wurde ohne Slipway gestartet; nur sein Log wird verfolgt</translation>
    </message>
    <message>
        <source>a run that slipway launch has started; stop this one where it runs</source>
        <translation>ein Lauf, den slipway launch gestartet hat; halten Sie diesen dort an, wo er läuft</translation>
    </message>
    <message>
        <source>the run&apos;s directory is not this user&apos;s own, so no signal was sent</source>
        <translation>das Verzeichnis des Laufs gehört einem anderen Benutzer, deshalb wurde kein Signal gesendet</translation>
    </message>
    <message>
        <source>a run of your own</source>
        <translation>ein eigener Lauf</translation>
    </message>
    <message>
        <source>its process group is not running on this machine</source>
        <translation>seine Prozessgruppe läuft nicht auf diesem Rechner</translation>
    </message>
    <message>
        <source>cannot send a signal: %1</source>
        <translation>ein Signal kann nicht gesendet werden: %1</translation>
    </message>
    <message>
        <source>already holds a run, which is %1</source>
        <translation>enthält schon einen Lauf mit dem Zustand %1</translation>
    </message>
    <message>
        <source>has no readable configuration: %1</source>
        <translation>hat keine lesbare Konfiguration: %1</translation>
    </message>
    <message>
        <source>run.yaml is missing</source>
        <translation>run.yaml fehlt</translation>
    </message>
    <message>
        <source>has finished all of its %1 steps</source>
        <translation>hat alle %1 Schritte abgeschlossen</translation>
    </message>
    <message>
        <source>a higher `steps` in its run.yaml, then resume</source>
        <translation>ein höheres `steps` in seiner run.yaml, dann fortsetzen</translation>
    </message>
    <message>
        <source>a run that has ended</source>
        <translation>ein Lauf, der zu Ende ist</translation>
    </message>
    <message>
        <source>How fast is each model of the catalogue with a batch of %1, and what does it need?</source>
        <translation>Wie schnell ist jedes Modell des Katalogs mit einem Batch von %1, und was braucht es?</translation>
    </message>
    <message>
        <source>%1 key-value heads (this model)</source>
        <translation>%1 Key-Value-Heads (dieses Modell)</translation>
    </message>
    <message>
        <source>1 key-value head (this model)</source>
        <translation>1 Key-Value-Head (dieses Modell)</translation>
    </message>
    <message>
        <source>%1 key-value heads</source>
        <translation>%1 Key-Value-Heads</translation>
    </message>
    <message>
        <source>1 key-value head</source>
        <translation>1 Key-Value-Head</translation>
    </message>
    <message>
        <source>What do fewer key-value heads gain for %1 query heads?</source>
        <translation>Was bringen weniger Key-Value-Heads bei %1 Query-Heads?</translation>
    </message>
    <message>
        <source>%1 experts, %2 per token</source>
        <translation>%1 Experten, %2 pro Token</translation>
    </message>
    <message>
        <source>Fused, blocks of %1</source>
        <translation>Fusioniert, Blöcke von %1</translation>
    </message>
    <message>
        <source>Not fused, blocks of %1</source>
        <translation>Nicht fusioniert, Blöcke von %1</translation>
    </message>
    <message>
        <source>Fused, %1 tokens reserved</source>
        <translation>Fusioniert, %1 Tokens reserviert</translation>
    </message>
    <message>
        <source>Not fused, %1 tokens reserved</source>
        <translation>Nicht fusioniert, %1 Tokens reserviert</translation>
    </message>
    <message>
        <source>Time to first token, %1</source>
        <translation>Zeit bis zum ersten Token, %1</translation>
    </message>
    <message>
        <source>Time per output token, %1</source>
        <translation>Zeit pro Ausgabe-Token, %1</translation>
    </message>
    <message>
        <source>Request latency, %1</source>
        <translation>Latenz einer Anfrage, %1</translation>
    </message>
    <message>
        <source>The calibration &apos;%1&apos; has no constants for the %2 under %3.</source>
        <translation>Die Kalibrierung „%1“ hat keine Konstanten für die %2 mit %3.</translation>
    </message>
    <message>
        <source>Speed is calibrated with &apos;%1&apos;: %2 of your own runs, %3 measured GEMMs.</source>
        <translation>Die Geschwindigkeit ist mit „%1“ kalibriert (eigene Läufe: %2, gemessene GEMMs: %3).</translation>
    </message>
    <message>
        <source>The rates of this CPU are estimates, not measured: %1 x %2 GHz x %3 FLOP per cycle, and a memory bandwidth by the number of cores.</source>
        <translation>Die Raten dieser CPU sind geschätzt, nicht gemessen: %1 x %2 GHz x %3 FLOP je Takt und eine Speicherbandbreite nach der Zahl der Kerne.</translation>
    </message>
    <message>
        <source>Each token is routed to %1 of %2 experts, evenly; %3 are read for a batch of %4.</source>
        <translation>Jedes Token geht gleichmäßig an %1 von %2 Experten; bei einem Batch von %4 werden %3 gelesen.</translation>
    </message>
    <message>
        <source>The CPU computes in fp32; --weights says how the weights are stored.</source>
        <translation>Die CPU rechnet in fp32; --weights sagt, wie die Gewichte gespeichert sind.</translation>
    </message>
    <message>
        <source>The %1 has no fp8 GEMMs: weights are stored in fp8, and GEMMs compute in bf16.</source>
        <translation>Die %1 hat keine fp8-GEMMs: Gewichte werden in fp8 gespeichert, und GEMMs rechnen in bf16.</translation>
    </message>
    <message>
        <source>unknown model_type &apos;%1&apos;: %2</source>
        <translation>unbekannter model_type „%1“: %2</translation>
    </message>
    <message>
        <source>is not valid JSON at line %1, column %2</source>
        <translation>ist kein gültiges JSON in Zeile %1, Spalte %2</translation>
    </message>
    <message>
        <source>is not valid JSON at column %1</source>
        <translation>ist kein gültiges JSON in Spalte %1</translation>
    </message>
    <message>
        <source>%1; %2 further rows cannot be used either</source>
        <translation>%1; %2 weitere Zeilen sind ebenfalls unbrauchbar</translation>
    </message>
    <message>
        <source>%1; 1 further row cannot be used either</source>
        <translation>%1; 1 weitere Zeile ist ebenfalls unbrauchbar</translation>
    </message>
    <message>
        <source>%1: gpu &apos;%2&apos; is not in the catalogue</source>
        <translation>%1: die GPU „%2“ ist nicht im Katalog</translation>
    </message>
    <message>
        <source>%1 is &apos;%2&apos;, not a number</source>
        <translation>%1 ist „%2“, keine Zahl</translation>
    </message>
    <message>
        <source>%1: %2 cells where the header has %3</source>
        <translation>%1: %2 Zellen, wo der Kopf %3 hat</translation>
    </message>
    <message>
        <source>is not needed: without it, predictions are within %1 % of the measurements</source>
        <translation>ist nicht nötig: ohne sie liegen die Vorhersagen innerhalb von %1 % der Messungen</translation>
    </message>
    <message>
        <source>is not needed: without it, the peaks are within %1 of the measurements</source>
        <translation>ist nicht nötig: ohne sie liegen die Spitzen innerhalb von %1 der Messungen</translation>
    </message>
    <message>
        <source>affects at most %1 % of the step time of a run</source>
        <translation>betrifft höchstens %1 % der Schrittdauer eines Laufs</translation>
    </message>
    <message>
        <source>cannot be distinguished from the %1 with these runs</source>
        <translation>lässt sich mit diesen Läufen nicht unterscheiden von: %1</translation>
    </message>
    <message>
        <source>is uncertain by %1 %</source>
        <translation>ist um %1 % unsicher</translation>
    </message>
    <message>
        <source>%1 times the catalogue&apos;s value</source>
        <translation>das %1-Fache des Katalogwerts</translation>
    </message>
    <message>
        <source>%1 times the planned value</source>
        <translation>das %1-Fache des geplanten Werts</translation>
    </message>
    <message>
        <source>implies an MFU of %1 %: the configuration does not match the run</source>
        <translation>ergäbe eine MFU von %1 %: die Konfiguration passt nicht zum Lauf</translation>
    </message>
    <message>
        <source>used %1 on a GPU with %2: the configuration does not match the run</source>
        <translation>belegte %1 auf einer GPU mit %2: die Konfiguration passt nicht zum Lauf</translation>
    </message>
    <message>
        <source>Speed is estimated from the data sheet of the %1: no published runs on it with %2 are known.</source>
        <translation>Die Geschwindigkeit kommt aus dem Datenblatt der %1; diese Version kennt keine veröffentlichten Läufe darauf mit %2.</translation>
    </message>
    <message>
        <source>Speed is estimated from the data sheet of the %1: few published runs on it with %2 are known.</source>
        <translation>Die Geschwindigkeit kommt aus dem Datenblatt der %1; diese Version kennt wenige veröffentlichte Läufe darauf mit %2.</translation>
    </message>
    <message>
        <source>%1 is planned with PyTorch %2; known: %3; not certain: %4.</source>
        <translation>%1 wird mit PyTorch %2 geplant; bekannt: %3; nicht sicher: %4.</translation>
    </message>
    <message>
        <source>%1 is planned with PyTorch %2; known: %3.</source>
        <translation>%1 wird mit PyTorch %2 geplant; bekannt: %3.</translation>
    </message>
    <message>
        <source>%1 %2 is newer than the newest known version %3; it is planned as %4.</source>
        <translation>%1 %2 ist neuer als die neueste bekannte Version %3; geplant wird mit %4.</translation>
    </message>
    <message>
        <source>%1 %2 is older than the oldest known version %3; it is planned as %4.</source>
        <translation>%1 %2 ist älter als die älteste bekannte Version %3; geplant wird mit %4.</translation>
    </message>
    <message>
        <source>%1 is planned with PyTorch %2; not certain: %3.</source>
        <translation>%1 wird mit PyTorch %2 geplant; nicht sicher: %3.</translation>
    </message>
    <message>
        <source>a GPU with more memory: %1</source>
        <translation>eine GPU mit mehr Speicher: %1</translation>
    </message>
    <message>
        <source>Autocast does not apply to the grouped GEMMs of Transformers: they run in fp32, without tensor cores. --precision bf16 or FSDP avoids this.</source>
        <translation>Autocast wirkt nicht auf die gruppierten GEMMs von Transformers: sie laufen in fp32, ohne Tensor Cores. --precision bf16 oder FSDP vermeidet das.</translation>
    </message>
    <message>
        <source>the price is for %1 of %2 GPUs, but %3 has %4 GPUs and is rented as a whole: %5/h</source>
        <translation>der Preis gilt für %1 von %2 GPUs, aber %3 hat %4 GPUs und wird als Ganzes gemietet: %5/h</translation>
    </message>
    <message>
        <source>%1 has %2 of the %3 GPUs of a node; whether these are connected as planned is not known</source>
        <translation>%1 hat %2 der %3 GPUs eines Knotens; ob diese wie geplant verbunden sind, ist nicht bekannt</translation>
    </message>
    <message>
        <source>the priced instance</source>
        <translation>die Instanz mit diesem Preis</translation>
    </message>
    <message>
        <source>does not support bf16 GEMMs; --precision fp16-mixed</source>
        <translation>unterstützt keine bf16-GEMMs; --precision fp16-mixed</translation>
    </message>
    <message>
        <source>no line reports the speed or the memory of the training</source>
        <translation>keine Zeile nennt die Geschwindigkeit oder den Speicher des Trainings</translation>
    </message>
    <message>
        <source>no line has a usable number, although %1 lines mention one</source>
        <translation>keine Zeile hat eine brauchbare Zahl, obwohl %1 Zeilen eine nennen</translation>
    </message>
    <message>
        <source>lines with tokens/s, tok/sec, tps:, elapsed time per iteration (ms):, dt: 135 ms, 1.2 s/it, max_memory_allocated: 12.3 GiB</source>
        <translation>Zeilen mit tokens/s, tok/sec, tps:, elapsed time per iteration (ms):, dt: 135 ms, 1.2 s/it, max_memory_allocated: 12.3 GiB</translation>
    </message>
    <message>
        <source>reports only step %1, the first one; its time includes compilation and allocation and is not representative</source>
        <translation>nennt nur Schritt %1, den ersten; seine Dauer enthält Kompilieren und Allokation und ist nicht repräsentativ</translation>
    </message>
    <message>
        <source>a log with five or more later steps</source>
        <translation>ein Log mit mindestens fünf späteren Schritten</translation>
    </message>
    <message>
        <source>%1: %2 fields of its profile apply.</source>
        <translation>%1: %2 Felder seines Profils gelten.</translation>
    </message>
    <message>
        <source>%1: %2 fields of its profile apply%3.</source>
        <translation>%1: %2 Felder seines Profils gelten%3.</translation>
    </message>
    <message>
        <source>; not verified: %1</source>
        <translation>; nicht geprüft: %1</translation>
    </message>
</context>
<context>
    <name>CoreTexts</name>
    <message>
        <source>Model: a preset, a public model, a size such as 700M, a YAML file or a Hugging Face config.json</source>
        <translation>Modell: eine Vorlage, ein veröffentlichtes Modell, eine Größe wie 700M, eine YAML-Datei oder eine config.json von Hugging Face</translation>
    </message>
    <message>
        <source>Number of transformer layers</source>
        <translation>Anzahl der Transformer-Layer</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>Hidden Size</translation>
    </message>
    <message>
        <source>Number of attention heads</source>
        <translation>Anzahl der Attention-Heads</translation>
    </message>
    <message>
        <source>Number of key-value heads; fewer than --heads for grouped-query attention</source>
        <translation>Anzahl der Key-Value-Heads; weniger als --heads für Grouped-Query-Attention</translation>
    </message>
    <message>
        <source>MLP width (intermediate size)</source>
        <translation>MLP-Breite (Intermediate Size)</translation>
    </message>
    <message>
        <source>Vocabulary size</source>
        <translation>Vokabulargröße</translation>
    </message>
    <message>
        <source>Tie the LM head to the embedding</source>
        <translation>LM-Head und Embedding koppeln</translation>
    </message>
    <message>
        <source>Number of experts per layer; 0 for a dense model</source>
        <translation>Anzahl der Experten pro Layer; 0 für ein dichtes Modell</translation>
    </message>
    <message>
        <source>Number of experts that each token is routed to</source>
        <translation>Anzahl der Experten, an die jedes Token geht</translation>
    </message>
    <message>
        <source>GPU from the catalogue, or cpu for this machine&apos;s CPU</source>
        <translation>GPU aus dem Katalog oder cpu für den Prozessor dieses Rechners</translation>
    </message>
    <message>
        <source>Total number of ranks, on GPUs or on the CPU</source>
        <translation>Gesamtzahl der Ranks, auf GPUs oder auf der CPU</translation>
    </message>
    <message>
        <source>GPUs per node</source>
        <translation>GPUs pro Knoten</translation>
    </message>
    <message>
        <source>Memory limit per GPU in GiB; default: the GPU&apos;s own memory</source>
        <translation>Speichergrenze pro GPU in GiB; Vorgabe: der Speicher der GPU</translation>
    </message>
    <message>
        <source>Data-parallel strategy</source>
        <translation>Datenparallele Strategie</translation>
    </message>
    <message>
        <source>Tensor-parallel size</source>
        <translation>Tensor-Parallel-Größe</translation>
    </message>
    <message>
        <source>Number of pipeline stages</source>
        <translation>Anzahl der Pipeline-Stufen</translation>
    </message>
    <message>
        <source>Context-parallel size</source>
        <translation>Context-Parallel-Größe</translation>
    </message>
    <message>
        <source>Expert-parallel size</source>
        <translation>Expert-Parallel-Größe</translation>
    </message>
    <message>
        <source>Micro-batch size: sequences per rank in one forward and backward pass</source>
        <translation>Micro-Batch-Größe: Sequenzen pro Rank in einem Forward- und Backward-Pass</translation>
    </message>
    <message>
        <source>Sequence length in tokens</source>
        <translation>Sequenzlänge in Tokens</translation>
    </message>
    <message>
        <source>Gradient accumulation: micro-batches per training step</source>
        <translation>Gradientenakkumulation: Micro-Batches pro Trainingsschritt</translation>
    </message>
    <message>
        <source>Precision; bf16-mixed computes in bf16 and keeps fp32 master weights; the default depends on the framework</source>
        <translation>Genauigkeit; bf16-mixed rechnet in bf16 und behält fp32-Master-Gewichte; die Vorgabe hängt vom Framework ab</translation>
    </message>
    <message>
        <source>Attention implementation; flash never writes the attention scores to memory; the default depends on the framework</source>
        <translation>Attention-Implementierung; flash schreibt die Attention-Scores nie in den Speicher; die Vorgabe hängt vom Framework ab</translation>
    </message>
    <message>
        <source>Activation recomputation (activation checkpointing) to save memory; the default depends on the framework</source>
        <translation>Neuberechnung der Aktivierungen (Activation Checkpointing), um Speicher zu sparen; die Vorgabe hängt vom Framework ab</translation>
    </message>
    <message>
        <source>Optimizer; muon updates the weight matrices of the layers with Muon and all other weights with AdamW</source>
        <translation>Optimizer; muon aktualisiert die Gewichtsmatrizen der Layer mit Muon und alle anderen Gewichte mit AdamW</translation>
    </message>
    <message>
        <source>Framework to plan for, such as torchtitan@2025-03 or hf-trainer@4.46; slipway catalog frameworks lists them; a run of Slipway&apos;s own trainer needs slipway</source>
        <translation>Framework, für das geplant wird, etwa torchtitan@2025-03 oder hf-trainer@4.46; slipway catalog frameworks listet sie auf; Läufe ohne eigenen Befehl verwenden slipway</translation>
    </message>
    <message>
        <source>How a simulated framework runs the experts&apos; GEMMs: one grouped kernel, or a loop over the experts</source>
        <translation>Wie ein simuliertes Framework die GEMMs der Experten ausführt: ein gruppierter Kernel oder eine Schleife über die Experten</translation>
    </message>
    <message>
        <source>Tokens per expert, relative to even routing; above 1 for padded capacity or the busiest rank, below 1 if tokens are dropped</source>
        <translation>Tokens pro Experte, bezogen auf gleichmäßiges Routing; über 1 bei aufgefüllter Kapazität oder für den am stärksten belasteten Rank, unter 1, wenn Tokens verworfen werden</translation>
    </message>
    <message>
        <source>How the loss is computed from the logits</source>
        <translation>Wie der Loss aus den Logits berechnet wird</translation>
    </message>
    <message>
        <source>Name of a calibration that slipway calibrate fitted to your own runs</source>
        <translation>Name einer Kalibrierung, die slipway calibrate an eigene Läufe angepasst hat</translation>
    </message>
    <message>
        <source>Price book: paper, or one that slipway catalog prices lists</source>
        <translation>Preistabelle: paper oder eine, die slipway catalog prices auflistet</translation>
    </message>
    <message>
        <source>Token budget such as 20B; default: 20 tokens per parameter</source>
        <translation>Token-Budget wie 20B; Vorgabe: 20 Tokens pro Parameter</translation>
    </message>
    <message>
        <source>Budget in dollars instead of tokens; includes failures and checkpoints</source>
        <translation>Budget in Dollar statt in Tokens; schließt Ausfälle und Checkpoints ein</translation>
    </message>
    <message>
        <source>Scaling law for the expected loss; slipway catalog laws lists them</source>
        <translation>Skalierungsgesetz für den erwarteten Loss; slipway catalog laws listet sie auf</translation>
    </message>
    <message>
        <source>Target loss in nats per token; shows the tokens and cost to reach it</source>
        <translation>Ziel-Loss in Nats pro Token; zeigt die nötigen Tokens und Kosten</translation>
    </message>
    <message>
        <source>Assumed mean time between failures of one GPU; a failure stops the whole run</source>
        <translation>Angenommene mittlere Zeit zwischen Ausfällen einer GPU; ein Ausfall hält den ganzen Lauf an</translation>
    </message>
    <message>
        <source>Assumed preemptions per node and day; default: 0, or 1 at spot prices</source>
        <translation>Angenommene Verdrängungen pro Knoten und Tag; Vorgabe: 0, bei Spot-Preisen 1</translation>
    </message>
    <message>
        <source>Assumed time from a failure to the next step, such as 10m</source>
        <translation>Angenommene Zeit von einem Ausfall bis zum nächsten Schritt, etwa 10m</translation>
    </message>
    <message>
        <source>Assumed time between checkpoints if checkpoint_every is not set</source>
        <translation>Angenommene Zeit zwischen Checkpoints, wenn checkpoint_every nicht gesetzt ist</translation>
    </message>
    <message>
        <source>Assumed pause for a checkpoint; default: 12 bytes per parameter at 1 GB/s per node</source>
        <translation>Angenommene Pause für einen Checkpoint; Vorgabe: 12 Byte pro Parameter bei 1 GB/s pro Knoten</translation>
    </message>
    <message>
        <source>Token files to train on, with optional weights</source>
        <translation>Token-Dateien für das Training, auf Wunsch mit Gewichten</translation>
    </message>
    <message>
        <source>Token files to evaluate on; names such as wiki::a.bin define separate evaluation sets</source>
        <translation>Token-Dateien für die Evaluation; Namen wie wiki::a.bin bilden eigene Evaluationsmengen</translation>
    </message>
    <message>
        <source>Tokenizer of the token files: tokenizer.json or a SentencePiece model</source>
        <translation>Tokenizer der Token-Dateien: tokenizer.json oder ein SentencePiece-Modell</translation>
    </message>
    <message>
        <source>Number of training steps; default: from the token budget</source>
        <translation>Anzahl der Trainingsschritte; Vorgabe: aus dem Token-Budget</translation>
    </message>
    <message>
        <source>Name of the run</source>
        <translation>Name des Laufs</translation>
    </message>
    <message>
        <source>Cost limit in dollars; an alert is raised when the expected cost exceeds it</source>
        <translation>Kostengrenze in Dollar; übersteigen die erwarteten Kosten sie, gibt es einen Alarm</translation>
    </message>
    <message>
        <source>Stop after this time, such as 12h</source>
        <translation>Nach dieser Zeit anhalten, etwa 12h</translation>
    </message>
    <message>
        <source>flash attention does not store the attention scores</source>
        <translation>Flash-Attention speichert die Attention-Scores nicht</translation>
    </message>
    <message>
        <source>smaller micro-batches and more accumulation: the same global batch with less activation memory</source>
        <translation>kleinere Micro-Batches und mehr Akkumulation: derselbe globale Batch mit weniger Speicher für Aktivierungen</translation>
    </message>
    <message>
        <source>larger micro-batches and less accumulation: kernels run more efficiently</source>
        <translation>größere Micro-Batches und weniger Akkumulation: die Kernel laufen effizienter</translation>
    </message>
    <message>
        <source>full recomputation stores only the inputs of the layers</source>
        <translation>vollständige Neuberechnung speichert nur die Eingaben der Layer</translation>
    </message>
    <message>
        <source>recomputing only attention costs little time</source>
        <translation>nur die Attention neu zu berechnen kostet wenig Zeit</translation>
    </message>
    <message>
        <source>there is enough memory to store the activations that are recomputed now</source>
        <translation>der Speicher reicht, um die jetzt neu berechneten Aktivierungen zu speichern</translation>
    </message>
    <message>
        <source>smaller micro-batches and recomputation together save the most memory</source>
        <translation>kleinere Micro-Batches und Neuberechnung zusammen sparen am meisten Speicher</translation>
    </message>
    <message>
        <source>frozen weights in 4 bits (QLoRA) take about a quarter of the memory, and their GEMMs more time</source>
        <translation>eingefrorene Gewichte in 4 Bit (QLoRA) belegen etwa ein Viertel des Speichers, ihre GEMMs dauern länger</translation>
    </message>
    <message>
        <source>all together: micro-batch 1, full recomputation, and frozen weights in 4 bits (QLoRA)</source>
        <translation>alles zusammen: Micro-Batch 1, vollständige Neuberechnung und eingefrorene Gewichte in 4 Bit (QLoRA)</translation>
    </message>
    <message>
        <source>twice the GPUs on the same global batch: finishes sooner, but costs more where communication is exposed</source>
        <translation>doppelt so viele GPUs bei gleichem globalem Batch: früher fertig, aber teurer, wo Kommunikation sichtbar wird</translation>
    </message>
    <message>
        <source>half the GPUs, each with twice the micro-batches: less communication</source>
        <translation>halb so viele GPUs mit je doppelt so vielen Micro-Batches: weniger Kommunikation</translation>
    </message>
    <message>
        <source>each rank keeps fewer experts and sends more tokens to other ranks</source>
        <translation>jeder Rank hält weniger Experten und sendet mehr Tokens an andere Ranks</translation>
    </message>
    <message>
        <source>fewer tokens are sent to other ranks</source>
        <translation>weniger Tokens gehen an andere Ranks</translation>
    </message>
    <message>
        <source>each rank keeps a full replica: only gradients are communicated</source>
        <translation>jeder Rank hält eine volle Kopie: nur Gradienten werden übertragen</translation>
    </message>
    <message>
        <source>shards the optimizer states, but not the weights</source>
        <translation>verteilt die Optimizer-Zustände, nicht aber die Gewichte</translation>
    </message>
    <message>
        <source>shards gradients and optimizer states; gathers the weights once per step</source>
        <translation>verteilt Gradienten und Optimizer-Zustände; sammelt die Gewichte einmal pro Schritt</translation>
    </message>
    <message>
        <source>shards all model states: leaves memory for a larger micro-batch</source>
        <translation>verteilt alle Modellzustände: lässt Speicher für einen größeren Micro-Batch</translation>
    </message>
    <message>
        <source>another GPU of the price book</source>
        <translation>eine andere GPU der Preistabelle</translation>
    </message>
    <message>
        <source>spot prices: nodes can be preempted, which the goodput includes</source>
        <translation>Spot-Preise: Knoten können verdrängt werden, was der Goodput einschließt</translation>
    </message>
    <message>
        <source>a cheaper offer of the same GPU</source>
        <translation>ein günstigeres Angebot derselben GPU</translation>
    </message>
    <message>
        <source>more GPUs shard the model states and share the global batch</source>
        <translation>mehr GPUs verteilen die Modellzustände und teilen sich den globalen Batch</translation>
    </message>
    <message>
        <source>more GPUs shard the model states; micro-batch 1 and full recomputation</source>
        <translation>mehr GPUs verteilen die Modellzustände; Micro-Batch 1 und vollständige Neuberechnung</translation>
    </message>
    <message>
        <source>a GPU with more memory</source>
        <translation>eine GPU mit mehr Speicher</translation>
    </message>
    <message>
        <source>fully sharded, micro-batch 1, full recomputation</source>
        <translation>vollständig verteilt, Micro-Batch 1, vollständige Neuberechnung</translation>
    </message>
    <message>
        <source>the fastest settings that fit with a margin: same model, global batch and number of GPUs</source>
        <translation>die schnellsten Einstellungen, die mit Reserve passen: gleiches Modell, gleicher globaler Batch, gleiche Zahl von GPUs</translation>
    </message>
    <message>
        <source>the smallest change that fits with a margin</source>
        <translation>die kleinste Änderung, die mit Reserve passt</translation>
    </message>
    <message>
        <source>the cheapest settings on another GPU of the price book</source>
        <translation>die günstigsten Einstellungen auf einer anderen GPU der Preistabelle</translation>
    </message>
    <message>
        <source>Is flash attention worth it?</source>
        <translation>Lohnt sich Flash-Attention?</translation>
    </message>
    <message>
        <source>Which GPU, and how many of them?</source>
        <translation>Welche GPU, und wie viele davon?</translation>
    </message>
    <message>
        <source>Which parallelism strategy, on how many GPUs?</source>
        <translation>Welche Parallelisierung auf wie vielen GPUs?</translation>
    </message>
    <message>
        <source>Which parallelism strategy, at which global batch?</source>
        <translation>Welche Parallelisierung bei welchem globalen Batch?</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>global batch, sequences</source>
        <translation>globaler Batch, Sequenzen</translation>
    </message>
    <message>
        <source>tokens per dollar</source>
        <translation>Tokens pro Dollar</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>step time</source>
        <translation>Schrittdauer</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>peak allocated</source>
        <translation>Spitze, belegt</translation>
    </message>
    <message>
        <source>peak reserved</source>
        <translation>Spitze, reserviert</translation>
    </message>
    <message>
        <source>peak on the device</source>
        <translation>Spitze auf dem Gerät</translation>
    </message>
    <message>
        <source>final loss</source>
        <translation>Loss am Ende</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Master weights and optimizer states</source>
        <translation>Master-Gewichte und Optimizer-Zustände</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Logits and loss</source>
        <translation>Logits und Loss</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>Workspaces</translation>
    </message>
    <message>
        <source>Reserved but not allocated</source>
        <translation>Reserviert, nicht belegt</translation>
    </message>
    <message>
        <source>Outside the allocator</source>
        <translation>Außerhalb des Allocators</translation>
    </message>
    <message>
        <source>The formula omits gathered weights and gradients that wait for their reduction.</source>
        <translation>Die Formel lässt gesammelte Gewichte weg und Gradienten, die auf ihre Reduktion warten.</translation>
    </message>
    <message>
        <source>The formula omits the workspaces of kernels.</source>
        <translation>Die Formel lässt die Workspaces der Kernel weg.</translation>
    </message>
    <message>
        <source>The allocator reserves whole segments and caches freed memory.</source>
        <translation>Der Allocator reserviert ganze Segmente und behält freigegebenen Speicher im Cache.</translation>
    </message>
    <message>
        <source>The CUDA context and communication buffers, which are not tensors.</source>
        <translation>Der CUDA-Kontext und Kommunikationspuffer, die keine Tensoren sind.</translation>
    </message>
    <message>
        <source>The plan counts each tensor with its actual size and lifetime.</source>
        <translation>Der Plan zählt jeden Tensor mit seiner tatsächlichen Größe und Lebensdauer.</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>dieser Rechner</translation>
    </message>
    <message>
        <source>ssh configuration</source>
        <translation>SSH-Konfiguration</translation>
    </message>
    <message>
        <source>added</source>
        <translation>hinzugefügt</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>Uhr</translation>
    </message>
    <message>
        <source>device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>disk</source>
        <translation>Datenträger</translation>
    </message>
    <message>
        <source>framework</source>
        <translation>Framework</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>data</source>
        <translation>Daten</translation>
    </message>
    <message>
        <source>evaluation data</source>
        <translation>Evaluationsdaten</translation>
    </message>
    <message>
        <source>model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>trainer</source>
        <translation>Trainer</translation>
    </message>
    <message>
        <source>agrees with this machine&apos;s</source>
        <translation>stimmt mit diesem Rechner überein</translation>
    </message>
    <message>
        <source>GEMM rate</source>
        <translation>GEMM-Rate</translation>
    </message>
    <message>
        <source>attention rate</source>
        <translation>Attention-Rate</translation>
    </message>
    <message>
        <source>memory bandwidth</source>
        <translation>Speicherbandbreite</translation>
    </message>
    <message>
        <source>kernel launch time</source>
        <translation>Kernel-Startzeit</translation>
    </message>
    <message>
        <source>link bandwidth within a node</source>
        <translation>Link-Bandbreite im Knoten</translation>
    </message>
    <message>
        <source>network bandwidth</source>
        <translation>Netzwerkbandbreite</translation>
    </message>
    <message>
        <source>allocator memory beyond the plan</source>
        <translation>Speicher des Allocators über den Plan hinaus</translation>
    </message>
    <message>
        <source>device memory outside the allocator</source>
        <translation>Gerätespeicher außerhalb des Allocators</translation>
    </message>
    <message>
        <source>memory compared with the plan</source>
        <translation>Speicher im Vergleich zum Plan</translation>
    </message>
    <message>
        <source>A paged KV cache reserves only the blocks that a sequence uses.</source>
        <translation>Ein KV-Cache in Blöcken belegt nur die Blöcke, die eine Sequenz braucht.</translation>
    </message>
    <message>
        <source>Keys and values take one byte per number.</source>
        <translation>Keys und Values brauchen ein Byte pro Zahl.</translation>
    </message>
    <message>
        <source>Weights take one byte per parameter.</source>
        <translation>Gewichte brauchen ein Byte pro Parameter.</translation>
    </message>
    <message>
        <source>Weights take about half a byte per parameter.</source>
        <translation>Gewichte brauchen etwa ein halbes Byte pro Parameter.</translation>
    </message>
    <message>
        <source>Weights, keys and values take one byte per number.</source>
        <translation>Gewichte, Keys und Values brauchen ein Byte pro Zahl.</translation>
    </message>
    <message>
        <source>Answers change slightly.</source>
        <translation>Antworten ändern sich leicht.</translation>
    </message>
    <message>
        <source>The GPUs shard the weights and the KV cache.</source>
        <translation>Die GPUs teilen sich Gewichte und KV-Cache.</translation>
    </message>
    <message>
        <source>The largest batch that fits; further requests wait.</source>
        <translation>Der größte Batch, der passt; weitere Anfragen warten.</translation>
    </message>
    <message>
        <source>The smallest types of weights and KV cache, on all GPUs of a node.</source>
        <translation>Die kleinsten Typen für Gewichte und KV-Cache, auf allen GPUs eines Knotens.</translation>
    </message>
    <message>
        <source>A step reads the weights once for all sequences. Each token takes longer.</source>
        <translation>Ein Schritt liest die Gewichte einmal für alle Sequenzen. Jedes Token dauert länger.</translation>
    </message>
    <message>
        <source>The largest batch that meets the target.</source>
        <translation>Der größte Batch, der das Ziel erfüllt.</translation>
    </message>
    <message>
        <source>Each GPU computes a shard of each token and holds a shard of its KV cache.</source>
        <translation>Jede GPU berechnet einen Teil jedes Tokens und hält einen Teil seines KV-Caches.</translation>
    </message>
    <message>
        <source>Fewer GPUs communicate less.</source>
        <translation>Weniger GPUs kommunizieren weniger.</translation>
    </message>
    <message>
        <source>Another GPU of the price book.</source>
        <translation>Eine andere GPU der Preistabelle.</translation>
    </message>
    <message>
        <source>Spot prices: a server can be preempted.</source>
        <translation>Spot-Preise: Ein Server kann verdrängt werden.</translation>
    </message>
    <message>
        <source>A cheaper offer of the same GPU.</source>
        <translation>Ein günstigeres Angebot derselben GPU.</translation>
    </message>
    <message>
        <source>Throughput against memory</source>
        <translation>Durchsatz über Speicher</translation>
    </message>
    <message>
        <source>Grouped-query and multi-head attention</source>
        <translation>Grouped-Query-Attention gegen volle Heads</translation>
    </message>
    <message>
        <source>Experts against dense</source>
        <translation>Experten gegen dichtes Modell</translation>
    </message>
    <message>
        <source>Fused and paged attention</source>
        <translation>Fused und Paged Attention</translation>
    </message>
    <message>
        <source>Memory of the KV cache</source>
        <translation>Speicher des KV-Caches</translation>
    </message>
    <message>
        <source>Latency against load</source>
        <translation>Latenz über Last</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>Zeit pro Ausgabe-Token</translation>
    </message>
    <message>
        <source>Request latency</source>
        <translation>Latenz einer Anfrage</translation>
    </message>
    <message>
        <source>Batch (sequences)</source>
        <translation>Batch (Sequenzen)</translation>
    </message>
    <message>
        <source>Memory of one GPU (GiB, log scale)</source>
        <translation>Speicher einer GPU (GiB, logarithmisch)</translation>
    </message>
    <message>
        <source>Prompt and answer (tokens)</source>
        <translation>Prompt und Antwort (Tokens)</translation>
    </message>
    <message>
        <source>GiB on each GPU</source>
        <translation>GiB pro GPU</translation>
    </message>
    <message>
        <source>Left for the cache</source>
        <translation>Rest für den Cache</translation>
    </message>
    <message>
        <source>Multi-head attention</source>
        <translation>Multi-Head-Attention</translation>
    </message>
    <message>
        <source>Grouped-query attention</source>
        <translation>Grouped-Query-Attention</translation>
    </message>
    <message>
        <source>Mixture of experts</source>
        <translation>Mixture of Experts</translation>
    </message>
    <message>
        <source>Dense, as wide as the experts of one token</source>
        <translation>Dicht, so breit wie die Experten eines Tokens</translation>
    </message>
    <message>
        <source>Dense, as wide as all experts</source>
        <translation>Dicht, so breit wie alle Experten</translation>
    </message>
    <message>
        <source>command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>Network bandwidth per node in Gbit/s; default: the catalogue&apos;s value</source>
        <translation>Netzwerkbandbreite pro Knoten in Gbit/s; Vorgabe: der Wert des Katalogs</translation>
    </message>
    <message>
        <source>Model chunks per pipeline stage; above 1 for an interleaved pipeline</source>
        <translation>Modellteile pro Pipeline-Stufe; mehr als 1 für eine verschränkte Pipeline</translation>
    </message>
    <message>
        <source>Order of a pipeline&apos;s micro-batches; auto: 1f1b, or interleaved with virtual stages</source>
        <translation>Reihenfolge der Micro-Batches in der Pipeline; auto: 1f1b, mit virtuellen Stufen interleaved</translation>
    </message>
    <message>
        <source>How context-parallel ranks attend to each other&apos;s tokens: ring attention, an all-to-all over heads (Ulysses), or gathered keys; auto: gather with Slipway&apos;s trainer, else ring</source>
        <translation>Wie kontextparallele Ranks die Tokens der anderen berücksichtigen: Ring-Attention, All-to-all über die Heads (Ulysses) oder gesammelte Keys; auto: gather mit Slipways Trainer, sonst ring</translation>
    </message>
    <message>
        <source>When to reduce gradients: after every micro-batch (least memory) or once per step (no_sync)</source>
        <translation>Wann Gradienten reduziert werden: nach jedem Micro-Batch (am wenigsten Speicher) oder einmal pro Schritt (no_sync)</translation>
    </message>
    <message>
        <source>Data type in which data-parallel ranks reduce gradients; bf16 halves the traffic, but rounds the sums</source>
        <translation>Datentyp, in dem datenparallele Ranks Gradienten reduzieren; bf16 halbiert die Datenmenge und rundet die Summen</translation>
    </message>
    <message>
        <source>Ops to recompute with --recompute selective: attention, norm, activation, rope, linear, linear-alternate, layer-alternate, experts, communication</source>
        <translation>Ops, die --recompute selective neu berechnet: attention, norm, activation, rope, linear, linear-alternate, layer-alternate, experts, communication</translation>
    </message>
    <message>
        <source>Keep activations in host memory until the backward pass</source>
        <translation>Aktivierungen bis zum Backward im Hauptspeicher halten</translation>
    </message>
    <message>
        <source>Rank of LoRA adapters, which are trained on frozen weights; 0 trains all weights</source>
        <translation>Rang der LoRA-Adapter, die auf eingefrorenen Gewichten trainiert werden; 0 trainiert alle Gewichte</translation>
    </message>
    <message>
        <source>Matrices of a layer that have LoRA adapters: all, those of attention, or those of queries and values</source>
        <translation>Matrizen eines Layers, die LoRA-Adapter haben: alle, die der Attention oder die von Queries und Values</translation>
    </message>
    <message>
        <source>Storage of the layers&apos; frozen weights with LoRA: whole (in the type of the computation), fp32, int8, or nf4 (QLoRA); the default depends on the framework</source>
        <translation>Speicherung der eingefrorenen Gewichte der Layer mit LoRA: whole (im Typ der Rechnung), fp32, int8 oder nf4 (QLoRA); die Vorgabe hängt vom Framework ab</translation>
    </message>
    <message>
        <source>Decay of an exponential moving average of the weights, such as 0.999; 0 for none; evaluations use the average</source>
        <translation>Abklingrate eines exponentiellen gleitenden Mittels der Gewichte, etwa 0.999; 0 für keines; Auswertungen verwenden das Mittel</translation>
    </message>
    <message>
        <source>Add the load-balancing and z losses of the experts&apos; router to the training loss (router_aux_loss_coef)</source>
        <translation>Load-Balancing-Loss und z-Loss des Routers der Experten zum Trainings-Loss addieren (router_aux_loss_coef)</translation>
    </message>
    <message>
        <source>Update each weight in the backward pass, as soon as its gradient is computed</source>
        <translation>Jedes Gewicht im Backward aktualisieren, sobald sein Gradient berechnet ist</translation>
    </message>
    <message>
        <source>Options that override the framework profile: KEY=VALUE,KEY=VALUE</source>
        <translation>Optionen, die das Framework-Profil überschreiben: SCHLÜSSEL=WERT,SCHLÜSSEL=WERT</translation>
    </message>
    <message>
        <source>Compile the model of a simulated framework with torch.compile; default: the framework&apos;s own choice</source>
        <translation>Das Modell eines simulierten Frameworks mit torch.compile kompilieren; Vorgabe: wie im Framework selbst</translation>
    </message>
    <message>
        <source>PyTorch version of a simulated framework, such as 1.12; default: the one of its date or the newest</source>
        <translation>PyTorch-Version eines simulierten Frameworks, etwa 1.12; Vorgabe: die Version seines Datums, sonst die neueste</translation>
    </message>
    <message>
        <source>Generation of the flash attention kernel</source>
        <translation>Generation des Kernels der Flash-Attention</translation>
    </message>
    <message>
        <source>Use autocast on top of FSDP mixed precision, as Lightning and Accelerate do: LayerNorm and softmax write fp32, and each GEMM casts its input</source>
        <translation>Autocast zusätzlich zur gemischten Genauigkeit von FSDP verwenden, wie Lightning und Accelerate: LayerNorm und Softmax schreiben fp32, und jedes GEMM konvertiert seine Eingabe</translation>
    </message>
    <message>
        <source>Compute cross-entropy and perplexity from the logits in every training step, as Composer does</source>
        <translation>In jedem Trainingsschritt Kreuzentropie und Perplexität aus den Logits berechnen, wie Composer</translation>
    </message>
    <message>
        <source>Use fused norm, RoPE, gate and loss kernels in simulated eager PyTorch (flash-attn, Apex, Liger-Kernel); without FSDP, weights are bf16 with fp32 master weights</source>
        <translation>Fusionierte Kernel für Norm, RoPE, Gate und Loss in simuliertem PyTorch eager verwenden (flash-attn, Apex, Liger-Kernel); ohne FSDP sind die Gewichte bf16 mit fp32-Master-Gewichten</translation>
    </message>
    <message>
        <source>Operations fused into the epilogues of GEMMs: bias gradients, or also GELU and its gradient</source>
        <translation>Ops im Epilog von GEMMs: die Gradienten der Biases, oder auch GELU und dessen Gradient</translation>
    </message>
    <message>
        <source>Run dropout, the residual addition and the next norm in one kernel, whose output has the data type of GEMMs</source>
        <translation>Dropout, residuale Addition und die folgende Norm in einem Kernel ausführen, mit dem Datentyp der GEMMs als Ausgabe</translation>
    </message>
    <message>
        <source>Compute queries, keys and values with one GEMM, and let attention write their gradients into one tensor</source>
        <translation>Queries, Keys und Values mit einem GEMM berechnen; Attention schreibt ihre Gradienten in einen Tensor</translation>
    </message>
    <message>
        <source>Store model weights in bf16 or fp16, with fp32 master weights in the optimizer, also with FSDP</source>
        <translation>Gewichte des Modells in bf16 oder fp16 speichern, mit fp32-Master-Gewichten im Optimizer, auch mit FSDP</translation>
    </message>
    <message>
        <source>Store LoRA adapters in bf16 in mixed precision; PEFT&apos;s default is fp32</source>
        <translation>LoRA-Adapter bei gemischter Genauigkeit in bf16 speichern; Vorgabe von PEFT ist fp32</translation>
    </message>
    <message>
        <source>Cache the weights that autocast casts until its context ends, including those of recomputed layers (cache_enabled)</source>
        <translation>Gewichte, die Autocast umwandelt, bis zum Ende seines Kontexts zwischenspeichern, auch die neu berechneter Layer (cache_enabled)</translation>
    </message>
    <message>
        <source>Keep gradients allocated until the next step&apos;s forward pass has run, as PyTorch Lightning does</source>
        <translation>Gradienten bis nach dem Vorwärtsdurchlauf des nächsten Schritts belegt lassen, wie PyTorch Lightning</translation>
    </message>
    <message>
        <source>Unpad sequences before attention and pad them again afterwards, as flash attention in Transformers does with a padding mask</source>
        <translation>Auffüllung der Sequenzen vor der Attention entfernen und danach wiederherstellen, wie Flash-Attention in Transformers mit einer Padding-Maske</translation>
    </message>
    <message>
        <source>Pass a dense mask to PyTorch&apos;s attention, which then computes all scores and cannot use FlashAttention</source>
        <translation>Der Attention von PyTorch eine dichte Maske übergeben; sie berechnet dann alle Scores und kann FlashAttention nicht nutzen</translation>
    </message>
    <message>
        <source>Repeat keys and values for each query head before attention; the default depends on the PyTorch version</source>
        <translation>Keys und Values vor der Attention für jeden Query-Head wiederholen; die Vorgabe hängt von der PyTorch-Version ab</translation>
    </message>
    <message>
        <source>Sharding implementation in simulated PyTorch; traced (XLA, per unit) and simple (SimpleFSDP, per weight) do not overlap communication</source>
        <translation>Implementierung der Aufteilung in simuliertem PyTorch; traced (XLA, pro Einheit) und simple (SimpleFSDP, pro Gewicht) überlappen Kommunikation nicht</translation>
    </message>
    <message>
        <source>Let gradients share the memory of DDP&apos;s buckets (gradient_as_bucket_view); no effect under no_sync</source>
        <translation>Gradienten im Speicher der Kommunikations-Buckets von DDP halten, wie mit der gleichnamigen Option von DDP; ohne Wirkung mit no_sync</translation>
    </message>
    <message>
        <source>Bucket size of DeepSpeed ZeRO, in gradients (reduce_bucket_size); Lightning sets 200M, Transformers (auto) the square of the hidden size</source>
        <translation>Größe der Buckets von DeepSpeed ZeRO, in Gradienten (reduce_bucket_size); Lightning verwendet 200M, Transformers (auto) das Quadrat der Hidden Size</translation>
    </message>
    <message>
        <source>Data type in which a simulated framework reduces gradients under FSDP and keeps them for the optimizer</source>
        <translation>Datentyp, in dem ein simuliertes Framework Gradienten mit FSDP reduziert und für den Optimizer aufbewahrt</translation>
    </message>
    <message>
        <source>Granularity of fp8 scales in simulated PyTorch (torchao): per tensor or per row</source>
        <translation>Granularität der fp8-Skalen in simuliertem PyTorch (torchao): pro Tensor oder pro Zeile</translation>
    </message>
    <message>
        <source>Use dropout in a simulated framework&apos;s layers; default: as in its usual recipe</source>
        <translation>Dropout in den Layern eines simulierten Frameworks verwenden; Vorgabe: wie in seinem üblichen Rezept</translation>
    </message>
    <message>
        <source>Sequence parallelism of Megatron-LM; default: on with flash attention, experts or selective recomputation</source>
        <translation>Sequenzparallelisierung von Megatron-LM; Vorgabe: an mit Flash-Attention, Experten oder selektiver Neuberechnung</translation>
    </message>
    <message>
        <source>Overlap sequence-parallel collectives with GEMMs, as Megatron-LM does with --tp-comm-overlap</source>
        <translation>Sequenzparallele Collectives mit GEMMs überlappen, wie Megatron-LM mit --tp-comm-overlap</translation>
    </message>
    <message>
        <source>Pad the vocabulary to a multiple of N times the tensor-parallel size (Megatron-LM&apos;s --make-vocab-size-divisible-by)</source>
        <translation>Das Vokabular auf ein Vielfaches von N mal der tensorparallelen Größe auffüllen (Megatron-LMs --make-vocab-size-divisible-by)</translation>
    </message>
    <message>
        <source>Use expandable segments in PyTorch&apos;s caching allocator</source>
        <translation>Erweiterbare Segmente im Caching-Allocator von PyTorch verwenden</translation>
    </message>
    <message>
        <source>Where the logits are copied to leave out the last position (Transformers before 4.49)</source>
        <translation>Wo die Logits kopiert werden, um die letzte Position auszulassen (Transformers vor 4.49)</translation>
    </message>
    <message>
        <source>Limit FSDP to the gathered weights of two layers at a time; the default depends on the PyTorch version</source>
        <translation>FSDP auf die gesammelten Gewichte von zwei Layern zugleich begrenzen; die Vorgabe hängt von der PyTorch-Version ab</translation>
    </message>
    <message>
        <source>Let FSDP1 gather the next layer&apos;s weights in backward before it reduces this layer&apos;s gradients (backward_prefetch)</source>
        <translation>FSDP1 die Gewichte des nächsten Layers in backward sammeln lassen, bevor es die Gradienten dieses Layers reduziert (backward_prefetch)</translation>
    </message>
    <message>
        <source>End the recomputation of a layer with the last activation that backward reads (early_stop of torch.utils.checkpoint); false: repeat the whole layer, as with use_reentrant</source>
        <translation>Die Neuberechnung eines Layers mit der letzten Aktivierung beenden, die backward liest (early_stop von torch.utils.checkpoint); false: den ganzen Layer wiederholen, wie mit use_reentrant</translation>
    </message>
    <message>
        <source>Run fp32 GEMMs of PyTorch on tensor cores in TF32 (torch.backends.cuda.matmul.allow_tf32)</source>
        <translation>fp32-GEMMs von PyTorch auf Tensor Cores in TF32 ausführen (torch.backends.cuda.matmul.allow_tf32)</translation>
    </message>
    <message>
        <source>Make each layer an FSDP unit; false: the whole model is one unit</source>
        <translation>Jeden Layer zu einer FSDP-Einheit machen; false: das ganze Modell ist eine Einheit</translation>
    </message>
    <message>
        <source>Make the embedding and the LM head separate FSDP2 units, as torchtitan and Accelerate 1.14 do</source>
        <translation>Embedding und LM-Head zu eigenen FSDP2-Einheiten machen, wie torchtitan und Accelerate 1.14</translation>
    </message>
    <message>
        <source>Plan a model that uses torch.nn.RMSNorm and computes RoPE with complex numbers, as torchtitan&apos;s models do</source>
        <translation>Ein Modell planen, das torch.nn.RMSNorm verwendet und RoPE mit komplexen Zahlen berechnet, wie die Modelle von torchtitan</translation>
    </message>
    <message>
        <source>Data type of the weights that FSDP gathers in mixed precision</source>
        <translation>Datentyp der Gewichte, die FSDP in gemischter Genauigkeit sammelt</translation>
    </message>
    <message>
        <source>Overlap data-parallel reductions with the backward pass; default: the framework&apos;s own choice</source>
        <translation>Datenparallele Reduktionen mit dem Backward überlappen; Vorgabe: wie im Framework selbst</translation>
    </message>
    <message>
        <source>Accumulate bf16 or fp16 gradients in separate fp32 gradients</source>
        <translation>bf16- oder fp16-Gradienten in getrennten fp32-Gradienten akkumulieren</translation>
    </message>
    <message>
        <source>Run the activation and the multiplication of a gated MLP in one kernel; default: the framework&apos;s own choice</source>
        <translation>Aktivierungsfunktion und Multiplikation eines MLP mit Gate in einem Kernel ausführen; Vorgabe: wie im Framework selbst</translation>
    </message>
    <message>
        <source>Run scale, mask and softmax of attention scores in one kernel; only with Megatron-LM</source>
        <translation>Skalierung, Maske und Softmax der Attention-Scores in einem Kernel ausführen, wenn das Framework Megatron-LM ist</translation>
    </message>
    <message>
        <source>Apply the router&apos;s weights inside the experts, as Megatron-Core 0.13 and later do; the experts&apos; outputs are then not saved</source>
        <translation>Gewichte des Routers innerhalb der Experten anwenden, wie Megatron-Core seit 0.13; ihre Ausgaben werden dann nicht gespeichert</translation>
    </message>
    <message>
        <source>Plan models of libraries as in Transformers before 4.46: logits are upcast, and masks select scores</source>
        <translation>Modelle von Bibliotheken wie in Transformers vor 4.46 planen: Logits werden nach fp32 konvertiert, Masken wählen Scores aus</translation>
    </message>
    <message>
        <source>Plan Megatron-LM&apos;s recipes before 2023: its own layers, reductions after the backward pass, and timers that wait for each pass</source>
        <translation>Rezepte von Megatron-LM vor 2023 planen: eigene Layer, Reduktionen nach dem Backward und Zeitmesser, die auf jeden Pass warten</translation>
    </message>
    <message>
        <source>Flatten bf16 or fp16 gradients and cast them to fp32 before the optimizer step</source>
        <translation>bf16- oder fp16-Gradienten vor dem Optimizer-Schritt zusammenfassen und in fp32 konvertieren</translation>
    </message>
    <message>
        <source>Number of ranks over which ZeRO-1 shards the optimizer states; default: all data-parallel ranks</source>
        <translation>Anzahl der Ranks, auf die ZeRO-1 die Optimizer-Zustände aufteilt; Vorgabe: alle datenparallelen Ranks</translation>
    </message>
    <message>
        <source>Offload optimizer states, or also the weights, to host memory, where the CPU updates them (ZeRO-Offload)</source>
        <translation>Was im Hauptspeicher liegt und die CPU aktualisiert: Optimizer-Zustände (ZeRO-Offload) oder auch die Gewichte</translation>
    </message>
    <message>
        <source>Multiply the host time of a kernel launch by this factor</source>
        <translation>Faktor auf die Host-Zeit eines Kernel-Starts</translation>
    </message>
    <message>
        <source>Multiply the rate of GEMMs by this factor</source>
        <translation>Faktor auf die Rate der GEMMs</translation>
    </message>
    <message>
        <source>Multiply the bandwidth of collectives by this factor</source>
        <translation>Faktor auf die Bandbreite der Collectives</translation>
    </message>
    <message>
        <source>How much memory and speed does it cost to store all experts if each token uses only a few?</source>
        <translation>Wie viel Speicher und Geschwindigkeit kostet es, alle Experten zu speichern, wenn jedes Token nur wenige nutzt?</translation>
    </message>
    <message>
        <source>How much do fused kernels gain, and how many more sequences fit if the cache is paged?</source>
        <translation>Was bringen fusionierte Kernel, und wie viele Sequenzen passen mehr, wenn der Cache in Blöcken liegt?</translation>
    </message>
    <message>
        <source>How does the memory of keys and values grow with the sequence length?</source>
        <translation>Wie wächst der Speicher für Keys und Values mit der Sequenzlänge?</translation>
    </message>
    <message>
        <source>How does latency grow with the load, up to more requests than the server can answer?</source>
        <translation>Wie wächst die Latenz mit der Last, bis zu mehr Anfragen, als der Server beantworten kann?</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>Länge</translation>
    </message>
    <message>
        <source>Requests/s</source>
        <translation>Anfragen/s</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>Sekunden</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>a recurrent model, which has a state instead of a KV cache</source>
        <translation>ein rekurrentes Modell, das statt eines KV-Caches einen Zustand hat</translation>
    </message>
    <message>
        <source>an encoder, which generates no tokens and has no KV cache</source>
        <translation>ein Encoder, der keine Tokens erzeugt und keinen KV-Cache hat</translation>
    </message>
    <message>
        <source>there are no measurements</source>
        <translation>es gibt keine Messungen</translation>
    </message>
    <message>
        <source>runs, tables or logs of configurations that can be planned</source>
        <translation>Läufe, Tabellen oder Logs von Konfigurationen, die sich planen lassen</translation>
    </message>
    <message>
        <source>the run was out of memory</source>
        <translation>dem Lauf ging der Speicher aus</translation>
    </message>
    <message>
        <source>has neither a measured speed of whole steps nor a peak memory</source>
        <translation>hat weder eine gemessene Geschwindigkeit ganzer Schritte noch eine Speicherspitze</translation>
    </message>
    <message>
        <source>has no effect on the step time of these runs</source>
        <translation>wirkt sich auf die Schrittdauer dieser Läufe nicht aus</translation>
    </message>
    <message>
        <source>affects less than 1 % of the step time of each run</source>
        <translation>betrifft weniger als 1 % der Schrittdauer jedes Laufs</translation>
    </message>
    <message>
        <source>has no effect on the step time of these runs then</source>
        <translation>wirkt sich dann auf die Schrittdauer dieser Läufe nicht aus</translation>
    </message>
    <message>
        <source>would be at least five times the known value of the device, so the configuration probably does not match the run</source>
        <translation>wäre mindestens das Fünffache des bekannten Werts des Geräts; wahrscheinlich passt die Konfiguration nicht zum Lauf</translation>
    </message>
    <message>
        <source>would be at most a fifth of the known value of the device, so the configuration probably does not match the run</source>
        <translation>wäre höchstens ein Fünftel des bekannten Werts des Geräts; wahrscheinlich passt die Konfiguration nicht zum Lauf</translation>
    </message>
    <message>
        <source>would exceed the GPU&apos;s peak rate, so the configuration probably does not match the run</source>
        <translation>läge über der Spitzenleistung der GPU; wahrscheinlich passt die Konfiguration nicht zum Lauf</translation>
    </message>
    <message>
        <source>would be more than four times the planned memory, so the configuration probably does not match the run</source>
        <translation>wäre mehr als das Vierfache des geplanten Speichers; wahrscheinlich passt die Konfiguration nicht zum Lauf</translation>
    </message>
    <message>
        <source>one run supports only one constant</source>
        <translation>ein Lauf reicht nur für eine Konstante</translation>
    </message>
    <message>
        <source>does not improve the predictions</source>
        <translation>verbessert die Vorhersagen nicht</translation>
    </message>
    <message>
        <source>no run reports its peak memory</source>
        <translation>kein Lauf meldet seine Speicherspitze</translation>
    </message>
    <message>
        <source>no run reports allocated or reserved memory</source>
        <translation>kein Lauf meldet belegten oder reservierten Speicher</translation>
    </message>
    <message>
        <source>no run reports device memory</source>
        <translation>kein Lauf meldet den Speicher des Geräts</translation>
    </message>
    <message>
        <source>no run reports both device memory and the memory in the allocator</source>
        <translation>kein Lauf meldet ihn neben dem Speicher im Allocator</translation>
    </message>
    <message>
        <source>is not needed: a factor explains as much</source>
        <translation>ist nicht nötig: ein Faktor erklärt ebenso viel</translation>
    </message>
    <message>
        <source>is not needed: a constant amount explains more</source>
        <translation>ist nicht nötig: ein fester Betrag erklärt mehr</translation>
    </message>
    <message>
        <source>the config.json of a Hugging Face model</source>
        <translation>die config.json eines Hugging-Face-Modells</translation>
    </message>
    <message>
        <source>Chinchilla, re-fitted by Besiroglu 2024</source>
        <translation>Chinchilla, neu angepasst von Besiroglu 2024</translation>
    </message>
    <message>
        <source>Chinchilla, approach 3 of Hoffmann 2022</source>
        <translation>Chinchilla, Ansatz 3 von Hoffmann 2022</translation>
    </message>
    <message>
        <source>Median list price of the providers</source>
        <translation>Median der Listenpreise der Anbieter</translation>
    </message>
    <message>
        <source>Median spot price of the providers</source>
        <translation>Median der Spot-Preise der Anbieter</translation>
    </message>
    <message>
        <source>Ratios of Ashkboos et al. 2024, A100-40GB = 1</source>
        <translation>Verhältnisse nach Ashkboos et al. 2024, A100-40GB = 1</translation>
    </message>
    <message>
        <source>AWS on demand</source>
        <translation>AWS, On-Demand</translation>
    </message>
    <message>
        <source>AWS spot, cheapest US zone</source>
        <translation>AWS, Spot, günstigste Zone der USA</translation>
    </message>
    <message>
        <source>Google Cloud on demand</source>
        <translation>Google Cloud, On-Demand</translation>
    </message>
    <message>
        <source>Google Cloud spot</source>
        <translation>Google Cloud, Spot</translation>
    </message>
    <message>
        <source>Lambda on demand</source>
        <translation>Lambda, On-Demand</translation>
    </message>
    <message>
        <source>Verda (formerly DataCrunch) on demand</source>
        <translation>Verda (früher DataCrunch), On-Demand</translation>
    </message>
    <message>
        <source>Verda spot</source>
        <translation>Verda, Spot</translation>
    </message>
    <message>
        <source>Hyperstack on demand</source>
        <translation>Hyperstack, On-Demand</translation>
    </message>
    <message>
        <source>RunPod secure on demand</source>
        <translation>RunPod Secure, On-Demand</translation>
    </message>
    <message>
        <source>RunPod spot</source>
        <translation>RunPod, Spot</translation>
    </message>
    <message>
        <source>Vast.ai marketplace, lowest offer</source>
        <translation>Marktplatz Vast.ai, günstigstes Angebot</translation>
    </message>
    <message>
        <source>Yotta on demand</source>
        <translation>Yotta, On-Demand</translation>
    </message>
    <message>
        <source>Prime Intellect marketplace, lowest offer of each provider</source>
        <translation>Marktplatz Prime Intellect, günstigstes Angebot jedes Anbieters</translation>
    </message>
    <message>
        <source>Prime Intellect marketplace, spot</source>
        <translation>Marktplatz Prime Intellect, Spot</translation>
    </message>
    <message>
        <source>Serving software to plan for: vllm, tensorrt-llm, llama.cpp, transformers, autoawq, autoawq-gemv, gpt-fast or slipway</source>
        <translation>Software, mit der das Modell betrieben wird: vllm, tensorrt-llm, llama.cpp, transformers, autoawq, autoawq-gemv, gpt-fast oder slipway</translation>
    </message>
    <message>
        <source>Storage of the weights: bf16, fp8, int8, int4 or fp32</source>
        <translation>Speicherung der Gewichte: bf16, fp8, int8, int4 oder fp32</translation>
    </message>
    <message>
        <source>Storage of the KV cache: bf16, fp8 or fp32</source>
        <translation>Speicherung des KV-Caches: bf16, fp8 oder fp32</translation>
    </message>
    <message>
        <source>Prompt length of a request in tokens</source>
        <translation>Länge des Prompts einer Anfrage in Token</translation>
    </message>
    <message>
        <source>Tokens to generate per request</source>
        <translation>Zu erzeugende Token pro Anfrage</translation>
    </message>
    <message>
        <source>Batch size: sequences in progress at once</source>
        <translation>Batchgröße: gleichzeitig bearbeitete Sequenzen</translation>
    </message>
    <message>
        <source>Average number of requests per second; simulates requests that arrive at random</source>
        <translation>Mittlere Zahl der Anfragen pro Sekunde; simuliert Anfragen, die zufällig eintreffen</translation>
    </message>
    <message>
        <source>Tokens per block of the paged KV cache; default: the framework&apos;s</source>
        <translation>Token pro Block des KV-Caches mit Seiten; Vorgabe: die des Frameworks</translation>
    </message>
    <message>
        <source>Reserve the KV cache of each sequence in one piece, without paging</source>
        <translation>Den KV-Cache jeder Sequenz am Stück reservieren, ohne Seiten</translation>
    </message>
    <message>
        <source>Tokens that a contiguous KV cache reserves per sequence; default: --prompt plus --generate</source>
        <translation>Token, die ein zusammenhängender KV-Cache pro Sequenz reserviert; Vorgabe: --prompt plus --generate</translation>
    </message>
    <message>
        <source>Target time to first token in seconds; lists the GPUs that meet it</source>
        <translation>Angestrebte Zeit bis zum ersten Token in Sekunden; listet die GPUs, die sie einhalten</translation>
    </message>
    <message>
        <source>Target time per output token in seconds; lists the GPUs that meet it</source>
        <translation>Angestrebte Zeit pro Ausgabe-Token in Sekunden; listet die GPUs, die sie einhalten</translation>
    </message>
    <message>
        <source>Requests to simulate with --requests-per-s</source>
        <translation>Anfragen, die mit --requests-per-s simuliert werden</translation>
    </message>
    <message>
        <source>Random seed of the simulated arrivals</source>
        <translation>Startwert des Zufalls der simulierten Ankünfte</translation>
    </message>
    <message>
        <source>Median over providers of the lowest on-demand price for the GPU. Vast.ai counts only where no other provider lists the GPU.</source>
        <translation>Median der niedrigsten On-Demand-Preise der Anbieter für die GPU. Vast.ai zählt nur, wo kein anderer Anbieter die GPU führt.</translation>
    </message>
    <message>
        <source>Median over providers of the lowest spot price for the GPU.</source>
        <translation>Median der niedrigsten Spot-Preise der Anbieter für die GPU.</translation>
    </message>
    <message>
        <source>Mean of Lambda and Google Cloud as the paper has it. The unit is one hour of an A100-40GB, not a dollar.</source>
        <translation>Mittel von Lambda und Google Cloud wie in der Arbeit. Die Einheit ist eine Stunde einer A100-40GB, kein Dollar.</translation>
    </message>
    <message>
        <source>GPU part only; host price not added</source>
        <translation>nur der GPU-Anteil; ohne Preis des Hosts</translation>
    </message>
    <message>
        <source>GPU part only; host price not added; other US regions show 64.44 (discounted SKU)</source>
        <translation>nur der GPU-Anteil; ohne Preis des Hosts; andere US-Regionen nennen 64,44 (rabattierte SKU)</translation>
    </message>
    <message>
        <source>GPU part only; host vCPU/RAM price not added</source>
        <translation>nur der GPU-Anteil; ohne Preis von vCPU und RAM des Hosts</translation>
    </message>
    <message>
        <source>marketplace floor; host marketplace floor for a 32-vCPU/64-GiB shape; SpotPrice column is 0.00 = not given</source>
        <translation>niedrigstes Angebot des Marktplatzes; Host: niedrigstes Angebot für 32 vCPU und 64 GiB; die Spalte SpotPrice ist 0,00, also nicht angegeben</translation>
    </message>
    <message>
        <source>marketplace; provider average 3.14 over node sizes</source>
        <translation>Marktplatz; Mittel des Anbieters über die Knotengrößen: 3,14</translation>
    </message>
    <message>
        <source>big-memory single-GPU shape</source>
        <translation>einzelne GPU mit großem Hauptspeicher</translation>
    </message>
    <message>
        <source>cheapest US zone</source>
        <translation>günstigste US-Zone</translation>
    </message>
    <message>
        <source>marketplace</source>
        <translation>Marktplatz</translation>
    </message>
    <message>
        <source>matches Prime Intellect snapshot of 2025-11-16</source>
        <translation>stimmt mit dem Stand von Prime Intellect vom 16.11.2025 überein</translation>
    </message>
    <message>
        <source>spot is listed as exactly half</source>
        <translation>Spot ist mit genau der Hälfte angegeben</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keine</translation>
    </message>
    <message>
        <source>DDP</source>
        <translation>DDP</translation>
    </message>
    <message>
        <source>FSDP, full shard</source>
        <translation>FSDP, Full Shard</translation>
    </message>
    <message>
        <source>FSDP, grad + op</source>
        <translation>FSDP, Grad + Op</translation>
    </message>
    <message>
        <source>HSDP</source>
        <translation>HSDP</translation>
    </message>
    <message>
        <source>ZeRO-1</source>
        <translation>ZeRO-1</translation>
    </message>
    <message>
        <source>Flash</source>
        <translation>Flash</translation>
    </message>
    <message>
        <source>Vanilla</source>
        <translation>Vanilla</translation>
    </message>
    <message>
        <source>Selective</source>
        <translation>Selektiv</translation>
    </message>
    <message>
        <source>Full</source>
        <translation>Vollständig</translation>
    </message>
    <message>
        <source>bf16 mixed</source>
        <translation>bf16 gemischt</translation>
    </message>
    <message>
        <source>fp16 mixed</source>
        <translation>fp16 gemischt</translation>
    </message>
    <message>
        <source>fp8 mixed</source>
        <translation>fp8 gemischt</translation>
    </message>
    <message>
        <source>Slipway</source>
        <translation>Slipway</translation>
    </message>
    <message>
        <source>PyTorch eager</source>
        <translation>PyTorch Eager</translation>
    </message>
    <message>
        <source>PyTorch compiled</source>
        <translation>PyTorch kompiliert</translation>
    </message>
    <message>
        <source>Megatron</source>
        <translation>Megatron</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Grouped</source>
        <translation>Gruppiert</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>Schleife</translation>
    </message>
    <message>
        <source>All matrices</source>
        <translation>Alle Matrizen</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Query and value</source>
        <translation>Query und Value</translation>
    </message>
    <message>
        <source>As computed</source>
        <translation>Wie gerechnet</translation>
    </message>
    <message>
        <source>NF4</source>
        <translation>NF4</translation>
    </message>
    <message>
        <source>GPipe</source>
        <translation>GPipe</translation>
    </message>
    <message>
        <source>1F1B</source>
        <translation>1F1B</translation>
    </message>
    <message>
        <source>Interleaved</source>
        <translation>Verschachtelt</translation>
    </message>
    <message>
        <source>Zero bubble</source>
        <translation>Zero Bubble</translation>
    </message>
    <message>
        <source>Ring</source>
        <translation>Ring</translation>
    </message>
    <message>
        <source>All-to-all</source>
        <translation>All-to-all</translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation>All-gather</translation>
    </message>
    <message>
        <source>FlashAttention-1</source>
        <translation>FlashAttention-1</translation>
    </message>
    <message>
        <source>FlashAttention-2</source>
        <translation>FlashAttention-2</translation>
    </message>
    <message>
        <source>FlashAttention-3</source>
        <translation>FlashAttention-3</translation>
    </message>
    <message>
        <source>cuDNN</source>
        <translation>cuDNN</translation>
    </message>
    <message>
        <source>Memory-efficient</source>
        <translation>Speichersparend</translation>
    </message>
    <message>
        <source>Each micro-batch</source>
        <translation>Je Micro-Batch</translation>
    </message>
    <message>
        <source>Once per step</source>
        <translation>Einmal je Schritt</translation>
    </message>
    <message>
        <source>AdamW</source>
        <translation>AdamW</translation>
    </message>
    <message>
        <source>AdamW, multi-tensor</source>
        <translation>AdamW, Multi-Tensor</translation>
    </message>
    <message>
        <source>AdamW, 8-bit</source>
        <translation>AdamW, 8 Bit</translation>
    </message>
    <message>
        <source>AdamW, paged</source>
        <translation>AdamW, paged</translation>
    </message>
    <message>
        <source>AdamW, 8-bit, paged</source>
        <translation>AdamW, 8 Bit, paged</translation>
    </message>
    <message>
        <source>Adafactor</source>
        <translation>Adafactor</translation>
    </message>
    <message>
        <source>Lion</source>
        <translation>Lion</translation>
    </message>
    <message>
        <source>SGD</source>
        <translation>SGD</translation>
    </message>
    <message>
        <source>Muon</source>
        <translation>Muon</translation>
    </message>
    <message>
        <source>FSDP1</source>
        <translation>FSDP1</translation>
    </message>
    <message>
        <source>FSDP2</source>
        <translation>FSDP2</translation>
    </message>
    <message>
        <source>DeepSpeed</source>
        <translation>DeepSpeed</translation>
    </message>
    <message>
        <source>Gemini</source>
        <translation>Gemini</translation>
    </message>
    <message>
        <source>Traced graph</source>
        <translation>Verfolgter Graph</translation>
    </message>
    <message>
        <source>SimpleFSDP</source>
        <translation>SimpleFSDP</translation>
    </message>
    <message>
        <source>Half precision</source>
        <translation>Halbe Genauigkeit</translation>
    </message>
    <message>
        <source>Per tensor</source>
        <translation>Je Tensor</translation>
    </message>
    <message>
        <source>Per row</source>
        <translation>Je Zeile</translation>
    </message>
    <message>
        <source>Gradients of biases</source>
        <translation>Gradienten der Biases</translation>
    </message>
    <message>
        <source>Biases and activation</source>
        <translation>Biases und Aktivierungsfunktion</translation>
    </message>
    <message>
        <source>Transformers</source>
        <translation>Transformers</translation>
    </message>
    <message>
        <source>Converted to fp32</source>
        <translation>In fp32 umgewandelt</translation>
    </message>
    <message>
        <source>In chunks</source>
        <translation>In Stücken</translation>
    </message>
    <message>
        <source>Fused</source>
        <translation>Verschmolzen</translation>
    </message>
    <message>
        <source>Compiled</source>
        <translation>Kompiliert</translation>
    </message>
    <message>
        <source>Vocabulary-parallel</source>
        <translation>Vokabularparallel</translation>
    </message>
    <message>
        <source>In place</source>
        <translation>An Ort und Stelle</translation>
    </message>
    <message>
        <source>Before the conversion</source>
        <translation>Vor der Umwandlung</translation>
    </message>
    <message>
        <source>After the conversion</source>
        <translation>Nach der Umwandlung</translation>
    </message>
    <message>
        <source>In the loss</source>
        <translation>Im Loss</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>Optimiererzustände</translation>
    </message>
    <message>
        <source>Weights and optimizer states</source>
        <translation>Gewichte und Optimiererzustände</translation>
    </message>
    <message>
        <source>Packed</source>
        <translation>Gepackt</translation>
    </message>
    <message>
        <source>Separate</source>
        <translation>Getrennt</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>Kosinus</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Constant</source>
        <translation>Konstant</translation>
    </message>
    <message>
        <source>WSD</source>
        <translation>WSD</translation>
    </message>
    <message>
        <source>Inverse square root</source>
        <translation>Inverse Wurzel</translation>
    </message>
    <message>
        <source>CUDA</source>
        <translation>CUDA</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>NCCL</source>
        <translation>NCCL</translation>
    </message>
    <message>
        <source>Gloo</source>
        <translation>Gloo</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>Threads</translation>
    </message>
    <message>
        <source>bf16, freed early</source>
        <translation>bf16, früh freigegeben</translation>
    </message>
    <message>
        <source>Converted to fp32, kept</source>
        <translation>In fp32 umgewandelt, behalten</translation>
    </message>
    <message>
        <source>Vocabulary-parallel, fused</source>
        <translation>Vokabularparallel, verschmolzen</translation>
    </message>
    <message>
        <source>Vocabulary-parallel, copied</source>
        <translation>Vokabularparallel, kopiert</translation>
    </message>
    <message>
        <source>Compiled, with logits</source>
        <translation>Kompiliert, mit Logits</translation>
    </message>
    <message>
        <source>Compiled, loss only</source>
        <translation>Kompiliert, nur Loss</translation>
    </message>
</context>
<context>
    <name>QObject</name>
    <message>
        <source>total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>No steps yet</source>
        <translation>Noch keine Schritte</translation>
    </message>
    <message>
        <source>Values of zero or less are not shown</source>
        <translation>Werte kleiner oder gleich null werden nicht gezeigt</translation>
    </message>
    <message>
        <source>smoothed</source>
        <translation>geglättet</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>und %1 weitere</translation>
    </message>
    <message>
        <source>P10–P90</source>
        <translation>P10–P90</translation>
    </message>
    <message>
        <source>Imported %1: 1 price</source>
        <translation>%1 importiert: 1 Preis</translation>
    </message>
    <message>
        <source>Imported %1: %2 prices</source>
        <translation>%1 importiert: %2 Preise</translation>
    </message>
    <message>
        <source>%1 of %2 rows could not be read and were skipped:</source>
        <translation>%1 von %2 Zeilen waren nicht lesbar und wurden übersprungen:</translation>
    </message>
    <message>
        <source>Not in the GPU catalogue: %1</source>
        <translation>Nicht im GPU-Katalog: %1</translation>
    </message>
    <message>
        <source>This run does not change any calibration constant</source>
        <translation>Dieser Lauf ändert keine Kalibrierungskonstante</translation>
    </message>
    <message>
        <source>This run determines the constant: %1</source>
        <translation>Dieser Lauf bestimmt die Konstante: %1</translation>
    </message>
    <message>
        <source>before the restart</source>
        <translation>vor dem Neustart</translation>
    </message>
    <message>
        <source>Step time (s)</source>
        <translation>Schrittdauer (s)</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>evaluation</source>
        <translation>Evaluation</translation>
    </message>
    <message>
        <source>%1, P10–P90</source>
        <translation>%1, P10–P90</translation>
    </message>
    <message>
        <source>%1 on %2 × %3, %4</source>
        <translation>%1 auf %2 × %3, %4</translation>
    </message>
    <message>
        <source>the log</source>
        <translation>das Log</translation>
    </message>
    <message>
        <source>The log says %1 tokens per step, but the plan has %2.</source>
        <translation>Laut Log hat ein Schritt %1 Tokens, laut Plan %2.</translation>
    </message>
    <message>
        <source>The log says %1 sequences per step, but the plan has %2.</source>
        <translation>Laut Log hat ein Schritt %1 Sequenzen, laut Plan %2.</translation>
    </message>
    <message>
        <source>Cancel, set micro-batch, sequence length, accumulation and GPUs on the Plan page as in the run, and calibrate again. Otherwise, the constants are wrong.</source>
        <translation>Abbrechen und Micro-Batch, Sequenzlänge, Akkumulation und GPUs auf der Seite „Plan“ wie im Lauf einstellen, dann erneut kalibrieren. Sonst sind die Konstanten falsch.</translation>
    </message>
</context>
<context>
    <name>slipway::ui</name>
    <message>
        <source>%1 to %2</source>
        <comment>two dates</comment>
        <translation>%1 bis %2</translation>
    </message>
    <message>
        <source> (accepted: %1)</source>
        <translation> (zulässig: %1)</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>Punkt</translation>
    </message>
    <message>
        <source>Cannot be planned</source>
        <translation>Nicht planbar</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Bewertung</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <translation>Speicher reicht nicht</translation>
    </message>
    <message>
        <source>Tight</source>
        <translation>Knapp</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Tokens per $</source>
        <translation>Tokens/$</translation>
    </message>
    <message>
        <source>OOM</source>
        <translation>OOM</translation>
    </message>
    <message>
        <source>Tokens/s per GPU</source>
        <translation>Tokens/s pro GPU</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>Pareto-Front</translation>
    </message>
    <message>
        <source>Tokens/s of all GPUs, in thousands (log scale)</source>
        <translation>Tokens/s aller GPUs, in Tausend (logarithmisch)</translation>
    </message>
    <message>
        <source>Does not fit</source>
        <translation>Passt nicht</translation>
    </message>
    <message>
        <source>recomputation:</source>
        <translation>Neuberechnung:</translation>
    </message>
    <message>
        <source>Sequence length (tokens)</source>
        <translation>Sequenzlänge (Tokens)</translation>
    </message>
    <message>
        <source>n/a</source>
        <translation>entfällt</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Slurm cluster of this machine</source>
        <translation>Slurm-Cluster dieses Rechners</translation>
    </message>
    <message>
        <source>unknown user</source>
        <translation>unbekannter Benutzer</translation>
    </message>
    <message>
        <source>1 process of yours</source>
        <translation>1 eigener Prozess</translation>
    </message>
    <message>
        <source>%1 processes of yours</source>
        <translation>%1 eigene Prozesse</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>Operating system</source>
        <translation>Betriebssystem</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>Prozessor</translation>
    </message>
    <message>
        <source>%1 cores, %2 memory</source>
        <translation>%1 Kerne, %2 Arbeitsspeicher</translation>
    </message>
    <message>
        <source>Disk</source>
        <translation>Datenträger</translation>
    </message>
    <message>
        <source>%1 free in %2</source>
        <translation>%1 frei in %2</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>Treiber</translation>
    </message>
    <message>
        <source>no NVIDIA driver</source>
        <translation>kein NVIDIA-Treiber</translation>
    </message>
    <message>
        <source>NVIDIA %1</source>
        <translation>NVIDIA %1</translation>
    </message>
    <message>
        <source>Trainer</source>
        <translation>Trainer</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1 in %2</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>nicht gefunden</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>Uhr</translation>
    </message>
    <message>
        <source>%1 ahead of this machine</source>
        <translation>geht gegenüber diesem Rechner %1 vor</translation>
    </message>
    <message>
        <source>%1 behind this machine</source>
        <translation>geht gegenüber diesem Rechner %1 nach</translation>
    </message>
    <message>
        <source>$%1</source>
        <comment>an amount of US dollars</comment>
        <translation>%1 $</translation>
    </message>
    <message>
        <source>%1 days</source>
        <translation>%1 Tage</translation>
    </message>
    <message>
        <source>yyyy-MM-dd</source>
        <comment>QDate&apos;s format of a day</comment>
        <translation>dd.MM.yyyy</translation>
    </message>
    <message>
        <source>yyyy-MM-dd HH:mm</source>
        <comment>QDateTime&apos;s format of a day and a time</comment>
        <translation>dd.MM.yyyy HH:mm</translation>
    </message>
    <message>
        <source>%1: mean error %2 % before, %3 % after</source>
        <translation>%1: mittlerer Fehler vorher %2 %, nachher %3 %</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>GPUs per node</source>
        <translation>GPUs pro Knoten</translation>
    </message>
    <message>
        <source>Network (Gbit/s)</source>
        <translation>Netzwerk (Gbit/s)</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>Speichergrenze</translation>
    </message>
    <message>
        <source>Parallelism</source>
        <translation>Parallelisierung</translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation>Tensor-Parallel</translation>
    </message>
    <message>
        <source>Pipeline parallel</source>
        <translation>Pipeline-Parallel</translation>
    </message>
    <message>
        <source>Virtual stages</source>
        <translation>Virtuelle Stufen</translation>
    </message>
    <message>
        <source>Pipeline schedule</source>
        <translation>Pipeline-Ablauf</translation>
    </message>
    <message>
        <source>Context exchange</source>
        <translation>Context-Austausch</translation>
    </message>
    <message>
        <source>Context parallel</source>
        <translation>Context-Parallel</translation>
    </message>
    <message>
        <source>Expert parallel</source>
        <translation>Expert-Parallel</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV-Heads</translation>
    </message>
    <message>
        <source>MLP width</source>
        <translation>MLP-Breite</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>Hidden Size</translation>
    </message>
    <message>
        <source>Vocabulary size</source>
        <translation>Vokabulargröße</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <translation>Embeddings</translation>
    </message>
    <message>
        <source>Experts per token</source>
        <translation>Experten pro Token</translation>
    </message>
    <message>
        <source>Expert GEMM</source>
        <translation>Experten-GEMM</translation>
    </message>
    <message>
        <source>Expert capacity</source>
        <translation>Expertenkapazität</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>Micro-Batch</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>Sequenzlänge</translation>
    </message>
    <message>
        <source>Accumulation</source>
        <translation>Akkumulation</translation>
    </message>
    <message>
        <source>Gradient reduction</source>
        <translation>Gradientenreduktion</translation>
    </message>
    <message>
        <source>Recomputation</source>
        <translation>Neuberechnung</translation>
    </message>
    <message>
        <source>Recomputed ops</source>
        <translation>Neu berechnete Ops</translation>
    </message>
    <message>
        <source>Activation offloading</source>
        <translation>Auslagern der Aktivierungen</translation>
    </message>
    <message>
        <source>PyTorch version</source>
        <translation>PyTorch-Version</translation>
    </message>
    <message>
        <source>Attention kernel</source>
        <translation>Attention-Kernel</translation>
    </message>
    <message>
        <source>TP overlap</source>
        <translation>TP-Überlappung</translation>
    </message>
    <message>
        <source>Vocabulary multiple</source>
        <translation>Vokabularvielfaches</translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation>Token-Budget</translation>
    </message>
    <message>
        <source>Calibration</source>
        <translation>Kalibrierung</translation>
    </message>
    <message>
        <source>Price book</source>
        <translation>Preistabelle</translation>
    </message>
    <message>
        <source>Cost budget</source>
        <translation>Kostenbudget</translation>
    </message>
    <message>
        <source>Scaling law</source>
        <translation>Skalierungsgesetz</translation>
    </message>
    <message>
        <source>Target loss</source>
        <translation>Ziel-Loss</translation>
    </message>
    <message>
        <source>MTBF per GPU</source>
        <translation>MTBF pro GPU</translation>
    </message>
    <message>
        <source>Preemptions/day</source>
        <translation>Verdrängungen/Tag</translation>
    </message>
    <message>
        <source>Restart time</source>
        <translation>Neustartdauer</translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation>Checkpoint alle</translation>
    </message>
    <message>
        <source>Checkpoint time</source>
        <translation>Checkpoint-Dauer</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>Tied</source>
        <translation>Gekoppelt</translation>
    </message>
    <message>
        <source>Untied</source>
        <translation>Getrennt</translation>
    </message>
    <message>
        <source>On</source>
        <translation>Ein</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>Parameter</translation>
    </message>
    <message>
        <source>Master weights</source>
        <translation>Master-Gewichte</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>Gradienten</translation>
    </message>
    <message>
        <source>Optimizer states</source>
        <translation>Optimizer-Zustände</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>Aktivierungen</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>Logits</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>Kommunikation</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>Workspace</translation>
    </message>
    <message>
        <source>GEMM</source>
        <translation>GEMM</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Elementwise</source>
        <translation>Elementweise</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>Loss</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>Exposed communication</source>
        <translation>Sichtbare Kommunikation</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>Bubble</translation>
    </message>
    <message>
        <source>Weight gradients</source>
        <translation>Gewichtsgradienten</translation>
    </message>
    <message>
        <source>Stage %1</source>
        <translation>Stufe %1</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Forward</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>Backward</translation>
    </message>
    <message>
        <source>Accepted: %1.</source>
        <translation>Zulässig: %1.</translation>
    </message>
    <message>
        <source>The line shows the memory that the allocator reserves.</source>
        <translation>Die Linie zeigt den Speicher, den der Allocator reserviert.</translation>
    </message>
    <message>
        <source>The run is out of memory: the chart assumes a GPU with enough memory.</source>
        <translation>Der Speicher reicht nicht: Das Diagramm nimmt eine GPU mit ausreichend Speicher an.</translation>
    </message>
    <message>
        <source>The allocator has to flush its cache %1 times.</source>
        <translation>Der Allocator muss seinen Cache %1-mal leeren.</translation>
    </message>
    <message>
        <source>days</source>
        <translation>Tage</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 Einheiten</translation>
    </message>
    <message>
        <source>same</source>
        <translation>gleich</translation>
    </message>
    <message>
        <source>calibrated on this device</source>
        <translation>auf diesem Gerät kalibriert</translation>
    </message>
    <message>
        <source>based on published runs on this device</source>
        <translation>aus veröffentlichten Läufen auf diesem Gerät abgeleitet</translation>
    </message>
    <message>
        <source>estimated from the data sheet only</source>
        <translation>nur aus dem Datenblatt geschätzt</translation>
    </message>
    <message>
        <source>, layer %1</source>
        <translation>, Layer %1</translation>
    </message>
    <message>
        <source>%1 phase (%2)</source>
        <translation>Phase %1 (%2)</translation>
    </message>
    <message>
        <source>%1 of %2 remains free at peak</source>
        <translation>%1 von %2 bleiben an der Speicherspitze frei</translation>
    </message>
    <message>
        <source>Only %1 of %2 remains free at peak</source>
        <translation>Nur %1 von %2 bleiben an der Speicherspitze frei</translation>
    </message>
    <message>
        <source>Peak memory exceeds the available %1 by %2</source>
        <translation>Die Speicherspitze übersteigt die verfügbaren %1 um %2</translation>
    </message>
    <message>
        <source>Peak memory is %1 (P10–P90: %2), reached in the %3.</source>
        <translation>Die Speicherspitze beträgt %1 (P10–P90: %2), erreicht in der %3.</translation>
    </message>
    <message>
        <source>The largest micro-batch that fits is %1.</source>
        <translation>Der größte Micro-Batch, der passt, ist %1.</translation>
    </message>
    <message>
        <source>No micro-batch size fits.</source>
        <translation>Kein Micro-Batch passt.</translation>
    </message>
    <message>
        <source>Per 1B tokens</source>
        <translation>Pro 1B Tokens</translation>
    </message>
    <message>
        <source>at %1/h</source>
        <translation>bei %1/h</translation>
    </message>
    <message>
        <source>Hourly price from the price book &apos;%1&apos; (%2), divided by the predicted throughput.</source>
        <translation>Stundenpreis aus der Preistabelle „%1“ (%2), geteilt durch den vorhergesagten Durchsatz.</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>Trainingsdauer</translation>
    </message>
    <message>
        <source>Time to train on %1 tokens at this throughput, without evaluation, checkpoints and restarts.</source>
        <translation>Dauer des Trainings mit %1 Tokens bei diesem Durchsatz, ohne Evaluation, Checkpoints und Neustarts.</translation>
    </message>
    <message>
        <source>Training cost</source>
        <translation>Trainingskosten</translation>
    </message>
    <message>
        <source>All GPUs for the training time at the quoted price, without storage and idle time.</source>
        <translation>Alle GPUs für die Trainingsdauer zum angegebenen Preis, ohne Speicherplatz und Leerlauf.</translation>
    </message>
    <message>
        <source>%1 if it fitted</source>
        <translation>%1, falls es passte</translation>
    </message>
    <message>
        <source>MFU = (4 × frozen matmul parameters + 6 × adapter parameters + 12 × layers × heads × head dimension × sequence length) × tokens/s ÷ dense peak FLOP/s.</source>
        <translation>MFU = (4 × eingefrorene Matmul-Parameter + 6 × Adapter-Parameter + 12 × Layer × Heads × Head-Dimension × Sequenzlänge) × Tokens/s ÷ dichte Spitzen-FLOP/s.</translation>
    </message>
    <message>
        <source>MFU = (6 × matmul parameters + 12 × layers × heads × head dimension × sequence length) × tokens/s ÷ dense peak FLOP/s.</source>
        <translation>MFU = (6 × Matmul-Parameter + 12 × Layer × Heads × Head-Dimension × Sequenzlänge) × Tokens/s ÷ dichte Spitzen-FLOP/s.</translation>
    </message>
    <message>
        <source>It is %1 % if only the causal half of attention is counted. HFU also counts recomputation.</source>
        <translation>Zählt man nur die kausale Hälfte der Attention, sind es %1 %. HFU zählt auch die Neuberechnung.</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>Durchsatz</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>Throughput of all GPUs, with its P10–P90 range. Each GPU processes %1 tokens/s.</source>
        <translation>Durchsatz aller GPUs mit seinem P10–P90-Bereich. Jede GPU verarbeitet %1 Tokens/s.</translation>
    </message>
    <message>
        <source>HFU %1 %</source>
        <translation>HFU %1 %</translation>
    </message>
    <message>
        <source>Step time (launch-bound)</source>
        <translation>Schrittdauer (durch Kernel-Starts begrenzt)</translation>
    </message>
    <message>
        <source>Step time (CUDA graph)</source>
        <translation>Schrittdauer (CUDA Graph)</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>Schrittdauer</translation>
    </message>
    <message>
        <source>Time of one training step over %1 tokens, with its P10–P90 range.</source>
        <translation>Dauer eines Trainingsschritts über %1 Tokens mit ihrem P10–P90-Bereich.</translation>
    </message>
    <message>
        <source>Expected loss after the token budget: %1 nats/token</source>
        <translation>Erwarteter Loss nach dem Token-Budget: %1 Nats/Token</translation>
    </message>
    <message>
        <source> (P10–P90: %1–%2)</source>
        <translation> (P10–P90: %1–%2)</translation>
    </message>
    <message>
        <source>, by %1%2</source>
        <translation>, nach %1%2</translation>
    </message>
    <message>
        <source>, outside its fitted range</source>
        <translation>, außerhalb des angepassten Bereichs</translation>
    </message>
    <message>
        <source>Reaching a loss of %1 takes %2 tokens%3.</source>
        <translation>Für einen Loss von %1 sind %2 Tokens nötig%3.</translation>
    </message>
    <message>
        <source> and costs %1</source>
        <translation>, Kosten: %1</translation>
    </message>
    <message>
        <source>A model of this size cannot reach a loss of %1.</source>
        <translation>Ein Modell dieser Größe kann einen Loss von %1 nicht erreichen.</translation>
    </message>
    <message>
        <source>Goodput with the assumed failures and checkpoints: %1 %. Training then takes %2%3.</source>
        <translation>Goodput mit den angenommenen Ausfällen und Checkpoints: %1 %. Das Training dauert dann %2%3.</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Tokens/s</translation>
    </message>
    <message>
        <source>%1/1B tokens</source>
        <translation>%1/1B Tokens</translation>
    </message>
    <message>
        <source>%1 · %2 parameters · %3 layers · hidden size %4</source>
        <translation>%1 · %2 Parameter · %3 Layer · Hidden Size %4</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Memory and speed are %1. Ranges are P10–P90.</source>
        <translation>Speicher und Geschwindigkeit sind %1. Bereiche sind P10–P90.</translation>
    </message>
    <message>
        <source>Memory is %1, speed is %2. Ranges are P10–P90.</source>
        <translation>Der Speicher ist %1, die Geschwindigkeit ist %2. Bereiche sind P10–P90.</translation>
    </message>
    <message>
        <source>The plan does not fit. Time and cost are those of the same GPU with enough memory. </source>
        <translation>Der Plan passt nicht. Zeit und Kosten gelten für dieselbe GPU mit ausreichend Speicher. </translation>
    </message>
    <message>
        <source>Cost assumption: %1.</source>
        <translation>Kostenannahme: %1.</translation>
    </message>
    <message>
        <source>Idle (launch, wait)</source>
        <translation>Leerlauf (Kernel-Start, Warten)</translation>
    </message>
    <message>
        <source>Reserved, unallocated</source>
        <translation>Reserviert, nicht belegt</translation>
    </message>
    <message>
        <source>Outside the allocator</source>
        <translation>Außerhalb des Allocators</translation>
    </message>
    <message>
        <source>capacity %1</source>
        <translation>Kapazität %1</translation>
    </message>
    <message>
        <source>%1, layer %2</source>
        <translation>%1, Layer %2</translation>
    </message>
    <message>
        <source>usable %1</source>
        <translation>nutzbar %1</translation>
    </message>
    <message>
        <source>reserved</source>
        <translation>reserviert</translation>
    </message>
    <message>
        <source>Step %1</source>
        <translation>Schritt %1</translation>
    </message>
    <message>
        <source>Step %1: %2</source>
        <translation>Schritt %1: %2</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>Spitze %1</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>None (shipped constants)</source>
        <translation>Keine (mitgelieferte Konstanten)</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>Rechnen</translation>
    </message>
    <message>
        <source>Gather</source>
        <translation>Gather</translation>
    </message>
    <message>
        <source>Reduce</source>
        <translation>Reduce</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>Layer</translation>
    </message>
    <message>
        <source>Phase</source>
        <translation>Phase</translation>
    </message>
    <message>
        <source>Kernel type</source>
        <translation>Kernel-Art</translation>
    </message>
    <message>
        <source>Represents</source>
        <translation>Steht für</translation>
    </message>
    <message>
        <source>%1 micro-batches</source>
        <translation>%1 Micro-Batches</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
    <message>
        <source>Memory traffic</source>
        <translation>Speicherverkehr</translation>
    </message>
    <message>
        <source>Algorithm</source>
        <translation>Algorithmus</translation>
    </message>
    <message>
        <source>NVLink SHARP</source>
        <translation>NVLink SHARP</translation>
    </message>
    <message>
        <source>Work</source>
        <translation>Arbeit</translation>
    </message>
    <message>
        <source>%1 FLOP</source>
        <translation>%1 FLOP</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Rate</translation>
    </message>
    <message>
        <source>Identical micro-batches are drawn once: one stands for %1. The whole step takes %2.</source>
        <translation>Gleiche Micro-Batches sind nur einmal gezeichnet: einer steht für %1. Der ganze Schritt dauert %2.</translation>
    </message>
    <message>
        <source>These runs have the same settings</source>
        <translation>Diese Läufe haben dieselben Einstellungen</translation>
    </message>
    <message>
        <source>The other runs have the same settings</source>
        <translation>Die anderen Läufe haben dieselben Einstellungen</translation>
    </message>
    <message>
        <source>Settings not known: %1</source>
        <translation>Einstellungen unbekannt: %1</translation>
    </message>
    <message>
        <source>Different settings</source>
        <translation>Abweichende Einstellungen</translation>
    </message>
    <message>
        <source>Measured (difference from the baseline)</source>
        <translation>Gemessen (Abweichung vom Referenzlauf)</translation>
    </message>
    <message>
        <source>Predicted (measured ÷ predicted)</source>
        <translation>Vorhergesagt (gemessen ÷ vorhergesagt)</translation>
    </message>
    <message>
        <source>Loss (nats/token)</source>
        <translation>Loss (Nats/Token)</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>Nats</translation>
    </message>
    <message>
        <source>Throughput (tokens/s)</source>
        <translation>Durchsatz (Tokens/s)</translation>
    </message>
    <message>
        <source>MFU (%)</source>
        <translation>MFU (%)</translation>
    </message>
    <message>
        <source>Step time by phase (s)</source>
        <translation>Schrittdauer nach Phase (s)</translation>
    </message>
    <message>
        <source>Data wait (s)</source>
        <translation>Warten auf Daten (s)</translation>
    </message>
    <message>
        <source>GPU utilization (%)</source>
        <translation>GPU-Auslastung (%)</translation>
    </message>
    <message>
        <source>GPU power (W)</source>
        <translation>GPU-Leistung (W)</translation>
    </message>
    <message>
        <source>GPU temperature (°C)</source>
        <translation>GPU-Temperatur (°C)</translation>
    </message>
    <message>
        <source>Gradient norm</source>
        <translation>Gradientennorm</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>Lernrate</translation>
    </message>
    <message>
        <source>allocated</source>
        <translation>belegt</translation>
    </message>
    <message>
        <source>in use on the device</source>
        <translation>auf dem Gerät belegt</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>Forward</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>Backward</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>Optimizer</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>sichtbare Kommunikation</translation>
    </message>
    <message>
        <source>whole step</source>
        <translation>ganzer Schritt</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>GPU %1</source>
        <translation>GPU %1</translation>
    </message>
    <message>
        <source>step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>%1 nats</source>
        <translation>%1 Nats</translation>
    </message>
    <message>
        <source>predicted %1</source>
        <translation>vorhergesagt %1</translation>
    </message>
    <message>
        <source>Current throughput</source>
        <translation>Aktueller Durchsatz</translation>
    </message>
    <message>
        <source>Median throughput</source>
        <translation>Median des Durchsatzes</translation>
    </message>
    <message>
        <source>median %1</source>
        <translation>Median %1</translation>
    </message>
    <message>
        <source>From the last 50 steps, without the slowest and fastest 10 %.</source>
        <translation>Aus den letzten 50 Schritten, ohne die langsamsten und schnellsten 10 %.</translation>
    </message>
    <message>
        <source>Median of the last %1 steps, without the first 3 steps of each attempt.</source>
        <translation>Median der letzten %1 Schritte, ohne die ersten 3 Schritte jedes Versuchs.</translation>
    </message>
    <message>
        <source>nats/token</source>
        <translation>Nats/Token</translation>
    </message>
    <message>
        <source>evaluation %1</source>
        <translation>Evaluation %1</translation>
    </message>
    <message>
        <source>started at %1</source>
        <translation>am Anfang %1</translation>
    </message>
    <message>
        <source>Mean of the finite losses of the last 10 steps.</source>
        <translation>Mittelwert der endlichen Loss-Werte der letzten 10 Schritte.</translation>
    </message>
    <message>
        <source>Memory in use as reported by the device.</source>
        <translation>Belegter Speicher laut Gerät.</translation>
    </message>
    <message>
        <source>Memory allocated by the trainer.</source>
        <translation>Vom Trainer belegter Speicher.</translation>
    </message>
    <message>
        <source>Elapsed time</source>
        <translation>Verstrichene Zeit</translation>
    </message>
    <message>
        <source>%1 attempt</source>
        <translation>%1 Versuch</translation>
    </message>
    <message>
        <source>%1 attempts</source>
        <translation>%1 Versuche</translation>
    </message>
    <message>
        <source>From the first to the last step.</source>
        <translation>Vom ersten bis zum letzten Schritt.</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>%1 elapsed</source>
        <translation>%1 verstrichen</translation>
    </message>
    <message>
        <source>Remaining steps × mean of the last 50 step times, without the slowest and fastest 10 % and the first 3 steps.</source>
        <translation>Restliche Schritte × Mittelwert der letzten 50 Schrittdauern, ohne die langsamsten und schnellsten 10 % und ohne die ersten 3 Schritte.</translation>
    </message>
    <message>
        <source>Cost so far</source>
        <translation>Bisherige Kosten</translation>
    </message>
    <message>
        <source>Quoted price × wall time. Restarts are billed. Pauses of more than 15 minutes between attempts are not.</source>
        <translation>Angegebener Preis × Laufzeit. Neustarts werden berechnet, Pausen von mehr als 15 Minuten zwischen Versuchen nicht.</translation>
    </message>
    <message>
        <source>%1 projected</source>
        <translation>%1 hochgerechnet</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 Tokens</translation>
    </message>
    <message>
        <source>, MFU %1 %</source>
        <translation>, MFU %1 %</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>vorhergesagt</translation>
    </message>
    <message>
        <source>expected at the end</source>
        <translation>am Ende erwartet</translation>
    </message>
    <message>
        <source>imported from another tool</source>
        <translation>aus einem anderen Werkzeug importiert</translation>
    </message>
    <message>
        <source>%1 layers × %2</source>
        <translation>%1 Layer × %2</translation>
    </message>
    <message>
        <source>%1 tokens per step</source>
        <translation>%1 Tokens pro Schritt</translation>
    </message>
    <message>
        <source>The run ended with exit status %1 and without an error message.</source>
        <translation>Der Lauf endete mit Exit-Status %1 und ohne Fehlermeldung.</translation>
    </message>
    <message>
        <source>The run ended with exit status %1: %2</source>
        <translation>Der Lauf endete mit Exit-Status %1: %2</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>Entwurf</translation>
    </message>
    <message>
        <source>Queued</source>
        <translation>Wartend</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>Hält an</translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation>Erfolgreich</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>Fehlgeschlagen</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Abgebrochen</translation>
    </message>
    <message>
        <source>Timed out</source>
        <translation>Zeit abgelaufen</translation>
    </message>
    <message>
        <source>Preempted</source>
        <translation>Verdrängt</translation>
    </message>
    <message>
        <source>Lost</source>
        <translation>Verloren</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Unbekannt</translation>
    </message>
    <message>
        <source>Loss is not finite</source>
        <translation>Loss ist nicht endlich</translation>
    </message>
    <message>
        <source>Stalled</source>
        <translation>Steht still</translation>
    </message>
    <message>
        <source>Slower than predicted</source>
        <translation>Langsamer als vorhergesagt</translation>
    </message>
    <message>
        <source>Slower than before</source>
        <translation>Langsamer als zuvor</translation>
    </message>
    <message>
        <source>Memory near the limit</source>
        <translation>Speicher nahe der Grenze</translation>
    </message>
    <message>
        <source>Over budget</source>
        <translation>Budget überschritten</translation>
    </message>
    <message>
        <source>Time limit at risk</source>
        <translation>Zeitlimit gefährdet</translation>
    </message>
    <message>
        <source>Idle but billed</source>
        <translation>Leerlauf wird berechnet</translation>
    </message>
    <message>
        <source>Checkpoints failing</source>
        <translation>Checkpoints schlagen fehl</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>nicht endlich</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Finished steps.</source>
        <translation>Abgeschlossene Schritte.</translation>
    </message>
    <message>
        <source>resumed</source>
        <translation>fortgesetzt</translation>
    </message>
    <message>
        <source>%1 line of this run could not be read and was skipped.</source>
        <translation>%1 Zeile dieses Laufs war nicht lesbar und wurde übersprungen.</translation>
    </message>
    <message>
        <source>%1 lines of this run could not be read and were skipped.</source>
        <translation>%1 Zeilen dieses Laufs waren nicht lesbar und wurden übersprungen.</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Quoted price</source>
        <translation>Angegebener Preis</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>Layer</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Heads</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>Genauigkeit</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>Framework</translation>
    </message>
    <message>
        <source>LoRA rank</source>
        <translation>LoRA-Rang</translation>
    </message>
    <message>
        <source>LoRA targets</source>
        <translation>LoRA-Matrizen</translation>
    </message>
    <message>
        <source>Frozen weights</source>
        <translation>Eingefrorene Gewichte</translation>
    </message>
    <message>
        <source>Loss path</source>
        <translation>Loss-Berechnung</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV-Cache</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>Prompt</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>Blockgröße</translation>
    </message>
    <message>
        <source>Cache layout</source>
        <translation>Aufteilung des Caches</translation>
    </message>
    <message>
        <source>Reserved length</source>
        <translation>Reservierte Länge</translation>
    </message>
    <message>
        <source>First token within</source>
        <translation>Erstes Token innerhalb von</translation>
    </message>
    <message>
        <source>Per token within</source>
        <translation>Pro Token höchstens</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Speicher</translation>
    </message>
    <message>
        <source>Paged</source>
        <translation>In Blöcken</translation>
    </message>
    <message>
        <source>%1
Accepted: %2
Command-line option: %3</source>
        <translation>%1
Zulässig: %2
Befehlszeilenoption: %3</translation>
    </message>
    <message>
        <source>%1
Command-line option: %2</source>
        <translation>%1
Befehlszeilenoption: %2</translation>
    </message>
    <message>
        <source>A batch of %1 needs %2 of %3 usable memory</source>
        <translation>Ein Batch von %1 braucht %2 von %3 nutzbarem Speicher</translation>
    </message>
    <message>
        <source>%1 tokens/s with a batch of %2</source>
        <translation>%1 Tokens/s mit einem Batch von %2</translation>
    </message>
    <message>
        <source>%1 of %2 usable memory on each GPU. %L3 sequences of %L4 tokens fit. %5 of the cache is unused on average.</source>
        <translation>%1 von %2 nutzbarem Speicher jeder GPU. %L3 Sequenzen mit %L4 Tokens passen. Im Mittel bleiben %5 des Caches ungenutzt.</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>Gewichte</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>at an idle server</source>
        <translation>bei unbelastetem Server</translation>
    </message>
    <message>
        <source>Time from the arrival of a request at an idle server to its first token.</source>
        <translation>Zeit vom Eintreffen einer Anfrage bei unbelastetem Server bis zu ihrem ersten Token.</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>Zeit pro Ausgabe-Token</translation>
    </message>
    <message>
        <source>%1 alone</source>
        <translation>%1 allein</translation>
    </message>
    <message>
        <source>Time of one decode step with this batch, in the middle of the answers.</source>
        <translation>Dauer eines Decode-Schritts mit diesem Batch, in der Mitte der Antworten.</translation>
    </message>
    <message>
        <source>batch %1; %2 alone</source>
        <translation>Batch %1; %2 allein</translation>
    </message>
    <message>
        <source>Output tokens per second. The time of a sequence is its own prefill and its share of the decode steps.</source>
        <translation>Ausgabe-Tokens pro Sekunde. Die Zeit einer Sequenz ist ihr eigener Prefill und ihr Anteil an den Decode-Schritten.</translation>
    </message>
    <message>
        <source>Highest throughput</source>
        <translation>Höchster Durchsatz</translation>
    </message>
    <message>
        <source>batch %1</source>
        <translation>Batch %1</translation>
    </message>
    <message>
        <source>nothing fits</source>
        <translation>nichts passt</translation>
    </message>
    <message>
        <source>Output tokens per second with the fastest batch that fits.</source>
        <translation>Ausgabe-Tokens pro Sekunde mit dem schnellsten Batch, der passt.</translation>
    </message>
    <message>
        <source>Sequences that fit</source>
        <translation>Sequenzen, die passen</translation>
    </message>
    <message>
        <source>of %L1 tokens</source>
        <translation>mit %L1 Tokens</translation>
    </message>
    <message>
        <source>contiguous</source>
        <translation>zusammenhängend</translation>
    </message>
    <message>
        <source>contiguous: %1</source>
        <translation>zusammenhängend: %1</translation>
    </message>
    <message>
        <source>Sequences of full length that fit at once, so that none is preempted.</source>
        <translation>Sequenzen voller Länge, die gleichzeitig passen, sodass keine verdrängt wird.</translation>
    </message>
    <message>
        <source>Bandwidth-bound up to</source>
        <translation>Bandbreitenbegrenzt bis</translation>
    </message>
    <message>
        <source>any</source>
        <translation>jeder</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>Sequenzen</translation>
    </message>
    <message>
        <source>GEMMs</source>
        <translation>GEMMs</translation>
    </message>
    <message>
        <source>Up to this batch, reading the weights takes longer than the arithmetic of the GEMMs.</source>
        <translation>Bis zu diesem Batch dauert das Lesen der Gewichte länger als die Rechnung der GEMMs.</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>per 1M tokens</source>
        <translation>pro 1M Tokens</translation>
    </message>
    <message>
        <source>%1/h, %2</source>
        <translation>%1/h, %2</translation>
    </message>
    <message>
        <source>no price</source>
        <translation>kein Preis</translation>
    </message>
    <message>
        <source>Price of the rented GPUs, divided by the throughput with this batch.</source>
        <translation>Preis der gemieteten GPUs, geteilt durch den Durchsatz mit diesem Batch.</translation>
    </message>
    <message>
        <source>Lowest cost</source>
        <translation>Niedrigste Kosten</translation>
    </message>
    <message>
        <source>Price of the rented GPUs, divided by the highest throughput.</source>
        <translation>Preis der gemieteten GPUs, geteilt durch den höchsten Durchsatz.</translation>
    </message>
    <message>
        <source>Documented</source>
        <translation>Dokumentiert</translation>
    </message>
    <message>
        <source>Read in its source</source>
        <translation>Im Quelltext gelesen</translation>
    </message>
    <message>
        <source>Fitted</source>
        <translation>Angepasst</translation>
    </message>
    <message>
        <source>Recalled, not checked</source>
        <translation>Aus dem Gedächtnis, ungeprüft</translation>
    </message>
    <message>
        <source>Assumed</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>Grundlage</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>Ja</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Nein</translation>
    </message>
    <message>
        <source>Versions %1 to %2. To choose one, type %3@%2.</source>
        <translation>Versionen %1 bis %2. Für eine bestimmte %3@%2 eingeben.</translation>
    </message>
    <message>
        <source>P10–P90: %1 to %2.</source>
        <translation>P10–P90: %1 bis %2.</translation>
    </message>
    <message>
        <source>tensors at the peak + memory that the allocator reserves beyond them + memory outside the allocator</source>
        <translation>Tensoren an der Spitze + Speicher, den der Allocator darüber hinaus reserviert + Speicher außerhalb des Allocators</translation>
    </message>
    <message>
        <source>Slipway replays every allocation of the step by the rules of PyTorch&apos;s caching allocator.</source>
        <translation>Slipway spielt jede Allokation des Schritts nach den Regeln von PyTorchs Caching-Allocator nach.</translation>
    </message>
    <message>
        <source>The probability that the run needs more than %1 is %2 %.</source>
        <translation>Mit einer Wahrscheinlichkeit von %2 % braucht der Lauf mehr als %1.</translation>
    </message>
    <message>
        <source>kernel times + exposed communication + idle time between kernels</source>
        <translation>Zeiten der Kernel + nicht überlappte Kommunikation + Leerlauf zwischen den Kerneln</translation>
    </message>
    <message>
        <source>tokens per step ÷ step time</source>
        <translation>Tokens pro Schritt ÷ Schrittdauer</translation>
    </message>
    <message>
        <source>%1 tokens ÷ %2 = %3 tokens/s</source>
        <translation>%1 Tokens ÷ %2 = %3 Tokens/s</translation>
    </message>
    <message>
        <source>Tokens per step: micro-batch %1 × accumulation %2 × %3 data-parallel ranks × %4 tokens.</source>
        <translation>Tokens pro Schritt: Micro-Batch %1 × Akkumulation %2 × %3 datenparallele Ranks × %4 Tokens.</translation>
    </message>
    <message>
        <source>(6 × matmul parameters + 12 × layers × heads × head dimension × sequence length) × tokens/s ÷ peak FLOP/s</source>
        <translation>(6 × Matmul-Parameter + 12 × Layer × Heads × Head-Dimension × Sequenzlänge) × Tokens/s ÷ Spitzenrate in FLOP/s</translation>
    </message>
    <message>
        <source>(4 × frozen matmul parameters + 6 × adapter parameters + 12 × layers × heads × head dimension × sequence length) × tokens/s ÷ peak FLOP/s</source>
        <translation>(4 × eingefrorene Matmul-Parameter + 6 × Adapter-Parameter + 12 × Layer × Heads × Head-Dimension × Sequenzlänge) × Tokens/s ÷ Spitzenrate in FLOP/s</translation>
    </message>
    <message>
        <source>%1 tokens/s per GPU give %2 % of %3 FLOP/s</source>
        <translation>%1 Tokens/s pro GPU ergeben %2 % von %3 FLOP/s</translation>
    </message>
    <message>
        <source>Peak: fp32 rate of this CPU, measured or estimated.</source>
        <translation>Spitzenrate: fp32-Rate dieser CPU, gemessen oder geschätzt.</translation>
    </message>
    <message>
        <source>Peak: dense bf16 rate of the %1 according to its data sheet.</source>
        <translation>Spitzenrate: dichte bf16-Rate der %1 laut Datenblatt.</translation>
    </message>
    <message>
        <source>Formula: Chowdhery et al. 2022, appendix B.</source>
        <translation>Formel: Chowdhery et al. 2022, Anhang B.</translation>
    </message>
    <message>
        <source>token budget ÷ throughput</source>
        <translation>Token-Budget ÷ Durchsatz</translation>
    </message>
    <message>
        <source>%1 tokens ÷ %2 tokens/s = %3</source>
        <translation>%1 Tokens ÷ %2 Tokens/s = %3</translation>
    </message>
    <message>
        <source>Token budget: 20 tokens per active parameter (Hoffmann et al. 2022).</source>
        <translation>Token-Budget: 20 Tokens pro aktivem Parameter (Hoffmann et al. 2022).</translation>
    </message>
    <message>
        <source>Price: %1 per hour for all GPUs, from the price book &apos;%2&apos; (%3).</source>
        <translation>Preis: %1 pro Stunde für alle GPUs, aus der Preistabelle „%2“ (%3).</translation>
    </message>
    <message>
        <source>price per hour ÷ tokens per hour</source>
        <translation>Preis pro Stunde ÷ Tokens pro Stunde</translation>
    </message>
    <message>
        <source>%1 ÷ %2 tokens × 1B = %3</source>
        <translation>%1 ÷ %2 Tokens × 1B = %3</translation>
    </message>
    <message>
        <source>training time × price per hour</source>
        <translation>Trainingsdauer × Preis pro Stunde</translation>
    </message>
    <message>
        <source>%1 × %2 = %3</source>
        <translation>%1 × %2 = %3</translation>
    </message>
    <message>
        <source>The token budget follows from your settings.</source>
        <translation>Das Token-Budget folgt aus den Einstellungen.</translation>
    </message>
    <message>
        <source>Speed is %1.</source>
        <translation>Die Geschwindigkeit ist %1.</translation>
    </message>
    <message>
        <source>Reduction type</source>
        <translation>Reduktionstyp</translation>
    </message>
    <message>
        <source>EMA decay</source>
        <translation>EMA-Abklingrate</translation>
    </message>
    <message>
        <source>Balance loss</source>
        <translation>Balance-Loss</translation>
    </message>
    <message>
        <source>Optimizer in backward</source>
        <translation>Optimizer im Backward</translation>
    </message>
    <message>
        <source>%1 faster</source>
        <translation>%1 schneller</translation>
    </message>
    <message>
        <source>%1 cheaper</source>
        <translation>%1 billiger</translation>
    </message>
    <message>
        <source>meets the target</source>
        <translation>hält das Ziel ein</translation>
    </message>
    <message>
        <source>1 layer × %1</source>
        <translation>1 Layer × %1</translation>
    </message>
    <message>
        <source>%1
per 1M tokens</source>
        <translation>%1
pro 1M Tokens</translation>
    </message>
    <message>
        <source>%1
per token</source>
        <translation>%1
pro Token</translation>
    </message>
    <message>
        <source>%1 files (*.%2)</source>
        <translation>%1-Dateien (*.%2)</translation>
    </message>
    <message>
        <source>Token files</source>
        <translation>Token-Dateien</translation>
    </message>
    <message>
        <source>Evaluation data</source>
        <translation>Evaluationsdaten</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>Zeitlimit</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>This configuration cannot be planned.</source>
        <translation>Diese Konfiguration ist nicht planbar.</translation>
    </message>
    <message>
        <source>A step takes %1 (P10–P90: %2 – %3). Peak memory is %4 of %5.</source>
        <translation>Ein Schritt dauert %1 (P10–P90: %2 – %3). Die Speicherspitze beträgt %4 von %5.</translation>
    </message>
    <message>
        <source>%1 steps of %2 each take %3 (P10–P90: %4 – %5).</source>
        <translation>%1 Schritte von je %2 dauern %3 (P10–P90: %4 – %5).</translation>
    </message>
    <message>
        <source>They cost %1 at %2 per hour (price book &apos;%3&apos;).</source>
        <translation>Sie kosten %1 bei %2 pro Stunde (Preistabelle „%3“).</translation>
    </message>
    <message>
        <source>Peak memory is %1 of %2. Checkpoints need up to %3 of disk space.</source>
        <translation>Die Speicherspitze beträgt %1 von %2. Checkpoints brauchen bis zu %3 auf dem Datenträger.</translation>
    </message>
    <message>
        <source>torch.compile</source>
        <translation>torch.compile</translation>
    </message>
    <message>
        <source>Autocast</source>
        <translation>Autocast</translation>
    </message>
    <message>
        <source>Training metrics</source>
        <translation>Trainingsmetriken</translation>
    </message>
    <message>
        <source>Fused kernels</source>
        <translation>Fusionierte Kernel</translation>
    </message>
    <message>
        <source>GELU in half precision under autocast</source>
        <translation>GELU unter Autocast in halber Genauigkeit</translation>
    </message>
    <message>
        <source>Softmax saves only its result</source>
        <translation>Softmax speichert nur sein Ergebnis</translation>
    </message>
    <message>
        <source>Fused attention in PyTorch</source>
        <translation>Fusionierte Attention in PyTorch</translation>
    </message>
    <message>
        <source>Logits converted to fp32</source>
        <translation>Logits nach fp32 umgewandelt</translation>
    </message>
    <message>
        <source>Gradients freed after the step</source>
        <translation>Gradienten nach dem Schritt freigegeben</translation>
    </message>
    <message>
        <source>Parallel loss overwrites its logits</source>
        <translation>Paralleler Loss überschreibt seine Logits</translation>
    </message>
    <message>
        <source>Optimizer updates lists of tensors</source>
        <translation>Optimizer aktualisiert Listen von Tensoren</translation>
    </message>
    <message>
        <source>Optimizer updates original parameters under FSDP</source>
        <translation>Optimizer aktualisiert unter FSDP die ursprünglichen Parameter</translation>
    </message>
    <message>
        <source>Kernels loaded at first launch</source>
        <translation>Kernel beim ersten Start geladen</translation>
    </message>
    <message>
        <source>Recomputation stops early</source>
        <translation>Neuberechnung endet früh</translation>
    </message>
    <message>
        <source>FSDP limits all-gathers</source>
        <translation>FSDP begrenzt All-Gathers</translation>
    </message>
    <message>
        <source>AdamW adds epsilon in place</source>
        <translation>AdamW addiert Epsilon an Ort und Stelle</translation>
    </message>
    <message>
        <source>Compiler pads widths of GEMMs</source>
        <translation>Compiler füllt Breiten von GEMMs auf</translation>
    </message>
    <message>
        <source>ZeRO flattens its buckets</source>
        <translation>ZeRO legt seine Buckets flach</translation>
    </message>
    <message>
        <source>FlashAttention-2 in PyTorch</source>
        <translation>FlashAttention-2 in PyTorch</translation>
    </message>
    <message>
        <source>Balanced ring attention</source>
        <translation>Ausgeglichene Ring-Attention</translation>
    </message>
    <message>
        <source>Compiled backward pass overwrites saved tensors</source>
        <translation>Kompilierte Rückwärtsphase überschreibt gespeicherte Tensoren</translation>
    </message>
    <message>
        <source>cuDNN attention on Blackwell</source>
        <translation>cuDNN-Attention auf Blackwell</translation>
    </message>
    <message>
        <source>cuDNN attention on Hopper</source>
        <translation>cuDNN-Attention auf Hopper</translation>
    </message>
    <message>
        <source>RMSNorm in fp32 in PyTorch</source>
        <translation>RMSNorm in fp32 in PyTorch</translation>
    </message>
    <message>
        <source>Fused RMSNorm in PyTorch</source>
        <translation>Fusionierte RMSNorm in PyTorch</translation>
    </message>
    <message>
        <source>Pipelines free the last stage&apos;s outputs</source>
        <translation>Pipelines geben die Ausgaben der letzten Stufe frei</translation>
    </message>
    <message>
        <source>PyTorch %1 and later: %2</source>
        <translation>Ab PyTorch %1: %2</translation>
    </message>
    <message>
        <source>GEMM epilogues</source>
        <translation>Epiloge der GEMMs</translation>
    </message>
    <message>
        <source>Fused addition and norm</source>
        <translation>Fusionierte Addition und Norm</translation>
    </message>
    <message>
        <source>Packed QKV</source>
        <translation>Gepackte QKV</translation>
    </message>
    <message>
        <source>Half-precision model</source>
        <translation>Modell in halber Genauigkeit</translation>
    </message>
    <message>
        <source>Half-precision adapters</source>
        <translation>Adapter in halber Genauigkeit</translation>
    </message>
    <message>
        <source>Autocast cache</source>
        <translation>Zwischenspeicher von Autocast</translation>
    </message>
    <message>
        <source>Late zero_grad</source>
        <translation>Spätes zero_grad</translation>
    </message>
    <message>
        <source>Unpadded attention</source>
        <translation>Attention ohne Auffüllung</translation>
    </message>
    <message>
        <source>Dense mask</source>
        <translation>Dichte Maske</translation>
    </message>
    <message>
        <source>Repeated keys and values</source>
        <translation>Wiederholte Keys und Values</translation>
    </message>
    <message>
        <source>Sharding</source>
        <translation>Aufteilung</translation>
    </message>
    <message>
        <source>Gradients as bucket views</source>
        <translation>Gradienten als Bucket-Sichten</translation>
    </message>
    <message>
        <source>Reduction bucket</source>
        <translation>Reduktions-Bucket</translation>
    </message>
    <message>
        <source>Gradient type</source>
        <translation>Gradiententyp</translation>
    </message>
    <message>
        <source>fp8 scales</source>
        <translation>fp8-Skalen</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>Sequence parallel</source>
        <translation>Sequenzparallel</translation>
    </message>
    <message>
        <source>Expandable segments</source>
        <translation>Erweiterbare Segmente</translation>
    </message>
    <message>
        <source>Copy of the logits</source>
        <translation>Kopie der Logits</translation>
    </message>
    <message>
        <source>Limited gathers</source>
        <translation>Begrenztes Sammeln</translation>
    </message>
    <message>
        <source>Backward prefetch</source>
        <translation>Backward-Prefetch</translation>
    </message>
    <message>
        <source>Early stop of checkpoints</source>
        <translation>Frühes Ende von Checkpoints</translation>
    </message>
    <message>
        <source>fp32 GEMMs in TF32</source>
        <translation>fp32-GEMMs in TF32</translation>
    </message>
    <message>
        <source>Layers as FSDP units</source>
        <translation>Layer als FSDP-Einheiten</translation>
    </message>
    <message>
        <source>Embedding and head as FSDP units</source>
        <translation>Embedding und Head als FSDP-Einheiten</translation>
    </message>
    <message>
        <source>Modules of torch.nn</source>
        <translation>Module von torch.nn</translation>
    </message>
    <message>
        <source>Gather type</source>
        <translation>Sammeltyp</translation>
    </message>
    <message>
        <source>Reduction overlap</source>
        <translation>Überlappte Reduktion</translation>
    </message>
    <message>
        <source>Separate fp32 gradients</source>
        <translation>Getrennte fp32-Gradienten</translation>
    </message>
    <message>
        <source>Fused gate</source>
        <translation>Fusioniertes Gate</translation>
    </message>
    <message>
        <source>Fused softmax</source>
        <translation>Fusioniertes Softmax</translation>
    </message>
    <message>
        <source>Weighted experts</source>
        <translation>Gewichtete Experten</translation>
    </message>
    <message>
        <source>Older models</source>
        <translation>Ältere Modelle</translation>
    </message>
    <message>
        <source>Older recipe</source>
        <translation>Älteres Rezept</translation>
    </message>
    <message>
        <source>Flat gradients</source>
        <translation>Flache Gradienten</translation>
    </message>
    <message>
        <source>Optimizer shards</source>
        <translation>Optimizer-Anteile</translation>
    </message>
    <message>
        <source>Host offloading</source>
        <translation>Auslagern auf den Host</translation>
    </message>
    <message>
        <source>Launch factor</source>
        <translation>Startfaktor</translation>
    </message>
    <message>
        <source>GEMM factor</source>
        <translation>GEMM-Faktor</translation>
    </message>
    <message>
        <source>Collective factor</source>
        <translation>Collective-Faktor</translation>
    </message>
    <message>
        <source>Framework options</source>
        <translation>Framework-Optionen</translation>
    </message>
    <message>
        <source>Custom shape · %1 parameters · %2 layers · hidden size %3</source>
        <translation>Eigene Form · %1 Parameter · %2 Layer · Hidden Size %3</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>GPU-Speicher</translation>
    </message>
    <message>
        <source>Custom shape, %1</source>
        <translation>Eigene Form, %1</translation>
    </message>
    <message>
        <source>Peak allocated</source>
        <translation>Belegte Spitze</translation>
    </message>
    <message>
        <source>Tokens per unit</source>
        <translation>Tokens/Einheit</translation>
    </message>
    <message>
        <source>No configuration was found that fits in %1.</source>
        <translation>Es wurde keine Konfiguration gefunden, die in %1 passt.</translation>
    </message>
    <message>
        <source>The lowest peak found is %1, that of this plan.</source>
        <translation>Die niedrigste gefundene Spitze ist %1, die dieses Plans.</translation>
    </message>
    <message>
        <source>The lowest peak found is %1, with %2.</source>
        <translation>Die niedrigste gefundene Spitze ist %1, mit %2.</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>Dokumente</translation>
    </message>
    <message>
        <source>Minimum learning rate</source>
        <translation>Kleinste Lernrate</translation>
    </message>
    <message>
        <source>Embedding learning rate</source>
        <translation>Lernrate der Embeddings</translation>
    </message>
    <message>
        <source>Head learning rate</source>
        <translation>Lernrate des LM-Heads</translation>
    </message>
    <message>
        <source>Warmup steps</source>
        <translation>Warmup-Schritte</translation>
    </message>
    <message>
        <source>Learning rate schedule</source>
        <translation>Verlauf der Lernrate</translation>
    </message>
    <message>
        <source>Decay steps</source>
        <translation>Decay-Schritte</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>Weight Decay</translation>
    </message>
    <message>
        <source>Without weight decay</source>
        <translation>Ohne Weight Decay</translation>
    </message>
    <message>
        <source>Muon momentum</source>
        <translation>Momentum von Muon</translation>
    </message>
    <message>
        <source>Beta 1</source>
        <translation>Beta 1</translation>
    </message>
    <message>
        <source>Beta 2</source>
        <translation>Beta 2</translation>
    </message>
    <message>
        <source>Gradient clipping</source>
        <translation>Gradient Clipping</translation>
    </message>
    <message>
        <source>z loss</source>
        <translation>z-Loss</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>Seed</translation>
    </message>
    <message>
        <source>Steps per evaluation</source>
        <translation>Schritte pro Evaluation</translation>
    </message>
    <message>
        <source>Steps per checkpoint</source>
        <translation>Schritte pro Checkpoint</translation>
    </message>
    <message>
        <source>Checkpoints kept</source>
        <translation>Behaltene Checkpoints</translation>
    </message>
    <message>
        <source>Deterministic</source>
        <translation>Deterministisch</translation>
    </message>
    <message>
        <source>Stop on NaN</source>
        <translation>Halt bei NaN</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Gerät</translation>
    </message>
    <message>
        <source>Communicator</source>
        <translation>Kommunikator</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>Log pattern</source>
        <translation>Muster des Logs</translation>
    </message>
    <message>
        <source>Stop at the budget</source>
        <translation>Halt am Budget</translation>
    </message>
    <message>
        <source>No run matches the filter</source>
        <translation>Kein Lauf entspricht dem Filter</translation>
    </message>
    <message>
        <source>Change or clear the filter to see runs again.</source>
        <translation>Mit einem anderen oder ohne Filter erscheinen wieder Läufe.</translation>
    </message>
    <message>
        <source>Clear filter</source>
        <translation>Filter löschen</translation>
    </message>
    <message>
        <source>median of %1</source>
        <translation>Median von %1</translation>
    </message>
    <message>
        <source>only %1</source>
        <comment>the only source of a price</comment>
        <translation>nur %1</translation>
    </message>
    <message>
        <source>own entry</source>
        <translation>eigener Eintrag</translation>
    </message>
    <message>
        <source>Host memory per node</source>
        <translation>Host-Speicher je Knoten</translation>
    </message>
    <message>
        <source>offloaded tensors of all ranks of a node</source>
        <translation>ausgelagerte Tensoren aller Ranks eines Knotens</translation>
    </message>
    <message>
        <source>The sum is that of the node whose ranks need most. Buffers for copies and the data loader are not counted.</source>
        <translation>Die Summe gilt für den Knoten, dessen Ranks am meisten brauchen. Puffer zum Kopieren und der Data-Loader zählen nicht mit.</translation>
    </message>
    <message>
        <source>I don&apos;t know</source>
        <translation>Nicht bekannt</translation>
    </message>
    <message>
        <source>Does torch.compile compile the model?</source>
        <translation>Kompiliert torch.compile das Modell?</translation>
    </message>
    <message>
        <source>How are the weights kept and cast?</source>
        <translation>Wie werden die Gewichte gehalten und umgewandelt?</translation>
    </message>
    <message>
        <source>fp32 weights, autocast to bf16</source>
        <translation>fp32-Gewichte, Autocast nach bf16</translation>
    </message>
    <message>
        <source>fp32 weights, autocast to fp16</source>
        <translation>fp32-Gewichte, Autocast nach fp16</translation>
    </message>
    <message>
        <source>bf16 weights</source>
        <translation>bf16-Gewichte</translation>
    </message>
    <message>
        <source>fp32 throughout</source>
        <translation>durchgehend fp32</translation>
    </message>
    <message>
        <source>What replicates or shards the model?</source>
        <translation>Was repliziert das Modell oder teilt es auf?</translation>
    </message>
    <message>
        <source>Nothing, it runs on one GPU</source>
        <translation>Nichts, es läuft auf einer GPU</translation>
    </message>
    <message>
        <source>How is the loss computed?</source>
        <translation>Wie wird der Loss berechnet?</translation>
    </message>
    <message>
        <source>Cross-entropy of 16-bit logits</source>
        <translation>Kreuzentropie von 16-Bit-Logits</translation>
    </message>
    <message>
        <source>Cross-entropy of logits converted to fp32</source>
        <translation>Kreuzentropie von Logits, in fp32 umgewandelt</translation>
    </message>
    <message>
        <source>In chunks of the sequence</source>
        <translation>In Stücken der Sequenz</translation>
    </message>
    <message>
        <source>Fused with the LM head, as in Liger</source>
        <translation>Verschmolzen mit dem LM-Head, wie in Liger</translation>
    </message>
    <message>
        <source>Which attention does it call?</source>
        <translation>Welche Attention ruft es auf?</translation>
    </message>
    <message>
        <source>The package flash-attn</source>
        <translation>Das Paket flash-attn</translation>
    </message>
    <message>
        <source>Written out, with a softmax of all scores</source>
        <translation>Ausgeschrieben, mit Softmax aller Scores</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>open</source>
        <translation>offen</translation>
    </message>
    <message>
        <source>Expert load (largest ÷ mean)</source>
        <translation>Last der Experten (größte ÷ Mittel)</translation>
    </message>
    <message>
        <source>Tokens by expert (%)</source>
        <translation>Token je Experte (%)</translation>
    </message>
    <message>
        <source>Expert %1</source>
        <translation>Experte %1</translation>
    </message>
</context>
<context>
    <name>slipway::ui::AboutDialog</name>
    <message>
        <source>About Slipway</source>
        <translation>Über Slipway</translation>
    </message>
    <message>
        <source>Slipway %1</source>
        <translation>Slipway %1</translation>
    </message>
    <message>
        <source>Plans, starts and watches the training of small language models.
Copyright 2026 Slipway developers. Slipway is free software under the GNU General Public License, version 3, with an additional permission for NVIDIA&apos;s libraries. It comes without any warranty.</source>
        <translation>Plant, startet und beobachtet das Training kleiner Sprachmodelle.
Copyright 2026 Slipway developers. Slipway ist freie Software unter der GNU General Public License, Version 3, mit einer zusätzlichen Erlaubnis für die Bibliotheken von NVIDIA. Es gibt keinerlei Gewährleistung.</translation>
    </message>
    <message>
        <source>Component</source>
        <translation>Komponente</translation>
    </message>
    <message>
        <source>License</source>
        <translation>Lizenz</translation>
    </message>
    <message>
        <source>Used for</source>
        <translation>Verwendet für</translation>
    </message>
    <message>
        <source>Components</source>
        <translation>Komponenten</translation>
    </message>
    <message>
        <source>Qt %1</source>
        <translation>Qt %1</translation>
    </message>
    <message>
        <source>the window</source>
        <translation>das Fenster</translation>
    </message>
    <message>
        <source>live charts</source>
        <translation>Live-Diagramme</translation>
    </message>
    <message>
        <source>configurations and catalogues</source>
        <translation>Konfigurationen und Kataloge</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>command lines</source>
        <translation>Befehlszeilen</translation>
    </message>
    <message>
        <source>text</source>
        <translation>Text</translation>
    </message>
    <message>
        <source>public domain</source>
        <translation>Public Domain</translation>
    </message>
    <message>
        <source>the list of runs</source>
        <translation>die Liste der Läufe</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ActionRow</name>
    <message>
        <source>More actions</source>
        <translation>Weitere Befehle</translation>
    </message>
</context>
<context>
    <name>slipway::ui::AlertRulesDialog</name>
    <message>
        <source>Alert thresholds</source>
        <translation>Alarmschwellen</translation>
    </message>
    <message>
        <source>Stalled after</source>
        <translation>Stillstand nach</translation>
    </message>
    <message>
        <source>× median step</source>
        <translation>× mittlere Schrittdauer</translation>
    </message>
    <message>
        <source>Stalled for at least</source>
        <translation>Stillstand mindestens</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Slower than predicted</source>
        <translation>Langsamer als vorhergesagt</translation>
    </message>
    <message>
        <source>× P90</source>
        <translation>× P90</translation>
    </message>
    <message>
        <source>Slower than before</source>
        <translation>Langsamer als zuvor</translation>
    </message>
    <message>
        <source>× usual step</source>
        <translation>× übliche Schrittdauer</translation>
    </message>
    <message>
        <source>Slower for at least</source>
        <translation>Langsamer mindestens</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>Belegter Speicher</translation>
    </message>
    <message>
        <source>of GPU memory</source>
        <translation>des GPU-Speichers</translation>
    </message>
    <message>
        <source>Projected cost</source>
        <translation>Hochgerechnete Kosten</translation>
    </message>
    <message>
        <source>× budget</source>
        <translation>× Budget</translation>
    </message>
    <message>
        <source>Projected time</source>
        <translation>Hochgerechnete Zeit</translation>
    </message>
    <message>
        <source>× time limit</source>
        <translation>× Zeitlimit</translation>
    </message>
    <message>
        <source>Idle below</source>
        <translation>Leerlauf unter</translation>
    </message>
    <message>
        <source>GPU utilization</source>
        <translation>GPU-Auslastung</translation>
    </message>
    <message>
        <source>Idle for at least</source>
        <translation>Leerlauf mindestens</translation>
    </message>
    <message>
        <source>Notify about</source>
        <translation>Benachrichtigen bei</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>Standardwerte wiederherstellen</translation>
    </message>
    <message>
        <source>The value is out of range.</source>
        <translation>Der Wert liegt außerhalb des Bereichs.</translation>
    </message>
    <message>
        <source>The value is not a number.</source>
        <translation>Der Wert ist keine Zahl.</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 bis %2</translation>
    </message>
</context>
<context>
    <name>slipway::ui::AreaChart</name>
    <message>
        <source>Position</source>
        <translation>Position</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
</context>
<context>
    <name>slipway::ui::BufferModel</name>
    <message>
        <source>Buffer</source>
        <translation>Puffer</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>Typ</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>Anzahl</translation>
    </message>
    <message>
        <source>Size each</source>
        <translation>Einzelgröße</translation>
    </message>
    <message>
        <source>Total size</source>
        <translation>Gesamtgröße</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
</context>
<context>
    <name>slipway::ui::BufferTable</name>
    <message>
        <source>Live buffers</source>
        <translation>Aktive Puffer</translation>
    </message>
</context>
<context>
    <name>slipway::ui::CalibrateDialog</name>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Calibration result</source>
        <translation>Ergebnis der Kalibrierung</translation>
    </message>
    <message>
        <source>These runs do not change any constant</source>
        <translation>Diese Läufe ändern keine Konstante</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Speichern als</translation>
    </message>
    <message>
        <source>Name of the calibration</source>
        <translation>Name der Kalibrierung</translation>
    </message>
    <message>
        <source>Save and use in the plan</source>
        <translation>Speichern und im Plan verwenden</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Tokens/s/GPU</source>
        <translation>Tokens/s/GPU</translation>
    </message>
    <message>
        <source>Error before</source>
        <translation>Fehler vorher</translation>
    </message>
    <message>
        <source>Error after</source>
        <translation>Fehler nachher</translation>
    </message>
    <message>
        <source>Skipped: %1</source>
        <translation>Übersprungen: %1</translation>
    </message>
    <message>
        <source>Prediction errors before and after</source>
        <translation>Vorhersagefehler vorher und nachher</translation>
    </message>
    <message>
        <source>Fitted: %1</source>
        <translation>Angepasst: %1</translation>
    </message>
    <message>
        <source>Measured step times are then %1 to %2 % of the prediction (P10–P90).</source>
        <translation>Die gemessenen Schrittdauern betragen dann %1 bis %2 % der Vorhersage (P10–P90).</translation>
    </message>
    <message>
        <source>Not fitted: %1</source>
        <translation>Nicht angepasst: %1</translation>
    </message>
    <message>
        <source>%1 of %2 rows are left out</source>
        <translation>%1 von %2 Zeilen werden ausgelassen</translation>
    </message>
    <message>
        <source>Replace the calibration &apos;%1&apos;?</source>
        <translation>Kalibrierung „%1“ ersetzen?</translation>
    </message>
    <message>
        <source>Replace the calibration &apos;%1&apos; of %2?</source>
        <translation>Kalibrierung „%1“ vom %2 ersetzen?</translation>
    </message>
    <message>
        <source>Replace calibration</source>
        <translation>Kalibrierung ersetzen</translation>
    </message>
    <message>
        <source>Plans that use this calibration will use the new one. This cannot be undone.</source>
        <translation>Pläne mit dieser Kalibrierung verwenden dann die neue. Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>Ersetzen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::CalibrationFlow</name>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Remove calibration</source>
        <translation>Kalibrierung entfernen</translation>
    </message>
    <message>
        <source>Remove the calibration &apos;%1&apos;? This cannot be undone.</source>
        <translation>Kalibrierung „%1“ entfernen? Das lässt sich nicht rückgängig machen.</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ChartTableDialog</name>
    <message>
        <source>Show as &amp;table</source>
        <translation>Als &amp;Tabelle zeigen</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Table: %1</source>
        <translation>Tabelle: %1</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copy the selected rows, or the whole table</source>
        <translation>Die ausgewählten Zeilen oder die ganze Tabelle kopieren</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ChartWindow</name>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Picture as SVG…</source>
        <translation>Bild als SVG…</translation>
    </message>
    <message>
        <source>Picture as PNG…</source>
        <translation>Bild als PNG…</translation>
    </message>
    <message>
        <source>Points as CSV…</source>
        <translation>Punkte als CSV…</translation>
    </message>
    <message>
        <source>Ctrl+scroll to zoom, drag to pan, double-click to reset</source>
        <translation>Strg+Rad: Zoom, Ziehen: schieben, Doppelklick: alles</translation>
    </message>
    <message>
        <source>Export chart</source>
        <translation>Diagramm exportieren</translation>
    </message>
    <message>
        <source>Exported to %1</source>
        <translation>Nach %1 exportiert</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ColumnChart</name>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Anmerkung</translation>
    </message>
</context>
<context>
    <name>slipway::ui::CommandPalette</name>
    <message>
        <source>Command palette</source>
        <translation>Befehlspalette</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Search commands, settings and GPUs</source>
        <translation>Befehle, Einstellungen und GPUs suchen</translation>
    </message>
    <message>
        <source>No command, setting or GPU has these words.</source>
        <translation>Kein Befehl, keine Einstellung und keine GPU enthält diese Wörter.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::CompareView</name>
    <message>
        <source>Baseline</source>
        <translation>Referenzlauf</translation>
    </message>
    <message>
        <source>Run comparison</source>
        <translation>Vergleich der Läufe</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Unterschiede</translation>
    </message>
    <message>
        <source>Comparison of %1 runs</source>
        <translation>Vergleich von %1 Läufen</translation>
    </message>
    <message>
        <source> (baseline)</source>
        <translation> (Referenz)</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export this comparison</source>
        <translation>Diesen Vergleich exportieren</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ComputationDialog</name>
    <message>
        <source>Figure</source>
        <translation>Kennzahl</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>With this plan&apos;s numbers</source>
        <translation>Mit den Zahlen dieses Plans</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>Eingaben</translation>
    </message>
    <message>
        <source>How the figures are computed</source>
        <translation>So werden die Kennzahlen berechnet</translation>
    </message>
</context>
<context>
    <name>slipway::ui::DraftKeeper</name>
    <message>
        <source>Unsaved changes are not kept as a draft: %1</source>
        <translation>Ungespeicherte Änderungen werden nicht als Entwurf gesichert: %1</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ExplorePage</name>
    <message>
        <source>No results yet.</source>
        <translation>Noch keine Ergebnisse.</translation>
    </message>
    <message>
        <source>Pareto front: no other point is faster, cheaper and smaller at once</source>
        <translation>Pareto-Front: Kein anderer Punkt ist zugleich schneller, billiger und kleiner</translation>
    </message>
    <message>
        <source>Other points that fit</source>
        <translation>Weitere Punkte, die passen</translation>
    </message>
    <message>
        <source>%L1 of %L2 points</source>
        <translation>%L1 von %L2 Punkten</translation>
    </message>
    <message>
        <source>&amp;Run grid again or cancel it</source>
        <translation>&amp;Raster neu berechnen oder abbrechen</translation>
    </message>
    <message>
        <source>Predict every point of the grid again</source>
        <translation>Jeden Punkt des Rasters neu vorhersagen</translation>
    </message>
    <message>
        <source>&amp;Open grid…</source>
        <translation>Raster &amp;öffnen…</translation>
    </message>
    <message>
        <source>Open a YAML file that lists the values of each setting</source>
        <translation>YAML-Datei öffnen, die die Werte jeder Einstellung auflistet</translation>
    </message>
    <message>
        <source>Edit &amp;prices…</source>
        <translation>&amp;Preise bearbeiten…</translation>
    </message>
    <message>
        <source>View the shipped price books and edit your own</source>
        <translation>Mitgelieferte Preistabellen ansehen und eigene bearbeiten</translation>
    </message>
    <message>
        <source>Points as &amp;CSV…</source>
        <translation>Punkte als &amp;CSV…</translation>
    </message>
    <message>
        <source>Export the points that the filters let through</source>
        <translation>Exportiert die Punkte, die durch die Filter kommen</translation>
    </message>
    <message>
        <source>C&amp;harts as PDF…</source>
        <translation>&amp;Diagramme als PDF…</translation>
    </message>
    <message>
        <source>Export the report of the grid</source>
        <translation>Bericht zum Raster exportieren</translation>
    </message>
    <message>
        <source>Paper grid</source>
        <translation>Raster der Studie</translation>
    </message>
    <message>
        <source>4 models, 3 GPU types, 1 to 64 GPUs, 3 parallelism strategies, 5 micro-batch sizes, 2 attention kernels</source>
        <translation>4 Modelle, 3 GPU-Typen, 1 bis 64 GPUs, 3 Parallelisierungen, 5 Micro-Batch-Größen, 2 Attention-Kernel</translation>
    </message>
    <message>
        <source>Around the plan</source>
        <translation>Um den Plan herum</translation>
    </message>
    <message>
        <source>Varies GPUs, parallelism, micro-batch, recomputation and attention of the current plan</source>
        <translation>Variiert GPUs, Parallelisierung, Micro-Batch, Neuberechnung und Attention des aktuellen Plans</translation>
    </message>
    <message>
        <source>Grid from file…</source>
        <translation>Raster aus Datei…</translation>
    </message>
    <message>
        <source>A YAML file that lists the values of each setting</source>
        <translation>Eine YAML-Datei, die die Werte jeder Einstellung auflistet</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>Neu berechnen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Prices…</source>
        <translation>Preise…</translation>
    </message>
    <message>
        <source>Edit prices</source>
        <translation>Preise bearbeiten</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>Heat map</source>
        <translation>Heatmap</translation>
    </message>
    <message>
        <source>Pareto</source>
        <translation>Pareto</translation>
    </message>
    <message>
        <source>Throughput, cost and memory</source>
        <translation>Durchsatz, Kosten und Speicher</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Flash and vanilla attention over global batch size</source>
        <translation>Flash- und Vanilla-Attention über der globalen Batch-Größe</translation>
    </message>
    <message>
        <source>GPU type</source>
        <translation>GPU-Typ</translation>
    </message>
    <message>
        <source>GPU types over number of GPUs</source>
        <translation>GPU-Typen über der Anzahl der GPUs</translation>
    </message>
    <message>
        <source>Parallelism</source>
        <translation>Parallelisierung</translation>
    </message>
    <message>
        <source>Parallelism over number of GPUs</source>
        <translation>Parallelisierung über der Anzahl der GPUs</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>Batch-Größe</translation>
    </message>
    <message>
        <source>Parallelism over global batch size</source>
        <translation>Parallelisierung über der globalen Batch-Größe</translation>
    </message>
    <message>
        <source>Sequence length</source>
        <translation>Sequenzlänge</translation>
    </message>
    <message>
        <source>Peak memory by category over sequence length</source>
        <translation>Speicherspitze nach Kategorie über der Sequenzlänge</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>%L1 points</source>
        <translation>%L1 Punkte</translation>
    </message>
    <message>
        <source>Stopped: %L1 of %L2 points</source>
        <translation>Abgebrochen: %L1 von %L2 Punkten</translation>
    </message>
    <message>
        <source>, %L1 shown</source>
        <translation>, %L1 angezeigt</translation>
    </message>
    <message>
        <source>, %L1 fit, %L2 out of memory</source>
        <translation>, %L1 passen, %L2 nicht</translation>
    </message>
    <message>
        <source>, %L1 cannot be planned</source>
        <translation>, %L1 nicht planbar</translation>
    </message>
    <message>
        <source> · in %1</source>
        <translation> · in %1</translation>
    </message>
    <message>
        <source> · other settings as in the plan</source>
        <translation> · übrige Einstellungen wie im Plan</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>Wird berechnet…</translation>
    </message>
    <message>
        <source>This grid does not vary the settings that this chart compares.</source>
        <translation>Dieses Raster variiert die Einstellungen nicht, die dieses Diagramm vergleicht.</translation>
    </message>
    <message>
        <source>Peak memory by category: micro-batch %1, %2 × %3%4, %5 attention, %6. The dashed line is the memory of the GPU. Click a bar to open it in Plan.</source>
        <translation>Speicherspitze nach Kategorie: Micro-Batch %1, %2 × %3%4, Attention: %5, %6. Die gestrichelte Linie ist der Speicher der GPU. Ein Klick auf einen Balken öffnet ihn im Plan.</translation>
    </message>
    <message>
        <source>Open grid</source>
        <translation>Raster öffnen</translation>
    </message>
    <message>
        <source>Grids (*.yaml *.yml);;All files (*)</source>
        <translation>Raster (*.yaml *.yml);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&amp;Edit the grid…</source>
        <translation>Raster &amp;bearbeiten…</translation>
    </message>
    <message>
        <source>Choose the settings of the grid and their values</source>
        <translation>Die Einstellungen des Rasters und ihre Werte wählen</translation>
    </message>
    <message>
        <source>Edit the grid…</source>
        <translation>Raster bearbeiten…</translation>
    </message>
    <message>
        <source>Choose the settings and their values, and see how many points that makes</source>
        <translation>Einstellungen und Werte wählen und sehen, wie viele Punkte das ergibt</translation>
    </message>
    <message>
        <source>Edited grid</source>
        <translation>Bearbeitetes Raster</translation>
    </message>
    <message>
        <source>The grid that was edited or opened last</source>
        <translation>Das Raster, das zuletzt bearbeitet oder geöffnet wurde</translation>
    </message>
</context>
<context>
    <name>slipway::ui::FieldRow</name>
    <message>
        <source>Accepted: %1</source>
        <translation>Zulässig: %1</translation>
    </message>
</context>
<context>
    <name>slipway::ui::FiguresView</name>
    <message>
        <source>Each point is the best over all settings not shown. Click a point to open it in Plan.</source>
        <translation>Jeder Punkt ist der beste über alle nicht gezeigten Einstellungen. Ein Klick auf einen Punkt öffnet ihn im Plan.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::FileExport</name>
    <message>
        <source>Exported to %1</source>
        <translation>Nach %1 exportiert</translation>
    </message>
    <message>
        <source>The export was cancelled</source>
        <translation>Der Export wurde abgebrochen</translation>
    </message>
    <message>
        <source>Exporting…</source>
        <translation>Wird exportiert…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::FormSplit</name>
    <message>
        <source>Settings</source>
        <translation>Einstellungen</translation>
    </message>
    <message>
        <source>Show the settings</source>
        <translation>Die Einstellungen zeigen</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>Ergebnisse</translation>
    </message>
    <message>
        <source>Show the results of these settings</source>
        <translation>Die Ergebnisse dieser Einstellungen zeigen</translation>
    </message>
    <message>
        <source>Settings or results</source>
        <translation>Einstellungen oder Ergebnisse</translation>
    </message>
</context>
<context>
    <name>slipway::ui::FrameworkCard</name>
    <message>
        <source>Framework</source>
        <translation>Framework</translation>
    </message>
    <message>
        <source>Reset changes</source>
        <translation>Änderungen zurücksetzen</translation>
    </message>
    <message>
        <source>Plan with the options of the profile again</source>
        <translation>Wieder mit den Optionen des Profils planen</translation>
    </message>
    <message>
        <source>Options of the framework</source>
        <translation>Optionen des Frameworks</translation>
    </message>
    <message>
        <source>how %1 is planned; double-click a value to change it</source>
        <translation>so wird %1 geplant; Doppelklick auf einen Wert ändert ihn</translation>
    </message>
    <message>
        <source>Change an option of the framework</source>
        <translation>Option des Frameworks ändern</translation>
    </message>
</context>
<context>
    <name>slipway::ui::FrameworkFieldModel</name>
    <message>
        <source>Your choice</source>
        <translation>Eigene Wahl</translation>
    </message>
    <message>
        <source>Option</source>
        <translation>Option</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Known by</source>
        <translation>Herkunft</translation>
    </message>
    <message>
        <source>Reference</source>
        <translation>Quelle</translation>
    </message>
</context>
<context>
    <name>slipway::ui::GridDialog</name>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>&amp;Explore</source>
        <translation>&amp;Erkunden</translation>
    </message>
    <message>
        <source>&amp;Save…</source>
        <translation>&amp;Speichern…</translation>
    </message>
    <message>
        <source>Edit the grid</source>
        <translation>Raster bearbeiten</translation>
    </message>
    <message>
        <source>Each combination of these values is one point. Separate values by commas.</source>
        <translation>Jede Kombination dieser Werte ist ein Punkt. Werte durch Kommas trennen.</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>Einstellung</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Werte</translation>
    </message>
    <message>
        <source>Settings of the grid</source>
        <translation>Einstellungen des Rasters</translation>
    </message>
    <message>
        <source>Add a setting</source>
        <translation>Einstellung hinzufügen</translation>
    </message>
    <message>
        <source>Leave the selected setting out of the grid</source>
        <translation>Die ausgewählte Einstellung aus dem Raster nehmen</translation>
    </message>
    <message>
        <source>Add:</source>
        <translation>Hinzufügen:</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Accepted: %1</source>
        <translation>Zulässig: %1</translation>
    </message>
    <message>
        <source>%L1 points, about %2</source>
        <translation>%L1 Punkte, etwa %2</translation>
    </message>
    <message>
        <source>Save the grid</source>
        <translation>Raster speichern</translation>
    </message>
</context>
<context>
    <name>slipway::ui::GuideBrowser</name>
    <message>
        <source>Guide</source>
        <translation>Anleitung</translation>
    </message>
</context>
<context>
    <name>slipway::ui::GuideWindow</name>
    <message>
        <source>Guide – Slipway</source>
        <translation>Anleitung – Slipway</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Zurück</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>Vorwärts</translation>
    </message>
    <message>
        <source>Search the guide</source>
        <translation>Anleitung durchsuchen</translation>
    </message>
    <message>
        <source>Pages of the guide</source>
        <translation>Seiten der Anleitung</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Inhalt</translation>
    </message>
    <message>
        <source>The guide is in English.</source>
        <translation>Das Handbuch ist auf Englisch.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::HeatView</name>
    <message>
        <source>Tokens/s per GPU</source>
        <translation>Tokens/s pro GPU</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>Bester Wert</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>over all other settings within the filters</source>
        <translation>über alle anderen Einstellungen innerhalb der Filter</translation>
    </message>
</context>
<context>
    <name>slipway::ui::HostsPage</name>
    <message>
        <source>Remove</source>
        <translation>Entfernen</translation>
    </message>
    <message>
        <source>Test connection</source>
        <translation>Verbindung testen</translation>
    </message>
    <message>
        <source>No GPU is visible on this host.</source>
        <translation>Auf diesem Host ist keine GPU sichtbar.</translation>
    </message>
    <message>
        <source>Partitions</source>
        <translation>Partitionen</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Memory in use</source>
        <translation>Belegter Speicher</translation>
    </message>
    <message>
        <source>Utilization</source>
        <translation>Auslastung</translation>
    </message>
    <message>
        <source>Power</source>
        <translation>Leistung</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>Temperatur</translation>
    </message>
    <message>
        <source>Processes</source>
        <translation>Prozesse</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>Prüfung</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>Ergebnis</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Preflight</source>
        <translation>Startprüfung</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>Partition</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>Knoten</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>Zeitlimit</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>Hosts</translation>
    </message>
    <message>
        <source>Machines for training runs: this machine, SSH hosts and Slurm clusters</source>
        <translation>Rechner für Trainingsläufe: dieser Rechner, SSH-Hosts und Slurm-Cluster</translation>
    </message>
    <message>
        <source>user@host</source>
        <translation>benutzer@host</translation>
    </message>
    <message>
        <source>An alias from ~/.ssh/config, user@host, or slurm:alias</source>
        <translation>Ein Alias aus ~/.ssh/config, benutzer@host oder slurm:alias</translation>
    </message>
    <message>
        <source>Host to add</source>
        <translation>Neuer Host</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>Hinzufügen</translation>
    </message>
    <message>
        <source>System</source>
        <translation>System</translation>
    </message>
    <message>
        <source>Launch checks for the current plan</source>
        <translation>Startprüfung für den aktuellen Plan</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>Testing…</source>
        <translation>Wird getestet…</translation>
    </message>
    <message>
        <source>Test again</source>
        <translation>Erneut testen</translation>
    </message>
    <message>
        <source>Testing</source>
        <translation>Wird getestet</translation>
    </message>
    <message>
        <source>Not tested</source>
        <translation>Nicht getestet</translation>
    </message>
    <message>
        <source>No answer</source>
        <translation>Keine Antwort</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>Not ready</source>
        <translation>Nicht bereit</translation>
    </message>
    <message>
        <source>tested at %1</source>
        <translation>getestet um %1</translation>
    </message>
    <message>
        <source>%1@%2 · tested at %3</source>
        <translation>%1@%2 · getestet um %3</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation>%1 (Standard)</translation>
    </message>
    <message>
        <source>none</source>
        <translation>keine</translation>
    </message>
    <message>
        <source>✗ Failed</source>
        <translation>✗ Fehlgeschlagen</translation>
    </message>
    <message>
        <source>! Warning</source>
        <translation>! Warnung</translation>
    </message>
    <message>
        <source>✓ Passed</source>
        <translation>✓ Bestanden</translation>
    </message>
    <message>
        <source>Not tested yet. The connection test shows the hardware of this host, the processes on its GPUs and what is missing to launch the plan. It changes nothing on the host.</source>
        <translation>Noch nicht getestet. Der Verbindungstest zeigt die Hardware dieses Hosts, die Prozesse auf seinen GPUs und was zum Starten des Plans fehlt. Er ändert auf dem Host nichts.</translation>
    </message>
    <message>
        <source>Remove host</source>
        <translation>Host entfernen</translation>
    </message>
    <message>
        <source>Remove %1 from the list?

Its runs and its files stay.</source>
        <translation>%1 aus der Liste entfernen?

Seine Läufe und Dateien bleiben.</translation>
    </message>
    <message>
        <source>&amp;Add a host…</source>
        <translation>Host &amp;hinzufügen…</translation>
    </message>
    <message>
        <source>&amp;Test the connection</source>
        <translation>Verbindung &amp;testen</translation>
    </message>
    <message>
        <source>Show the hardware of the selected host, and what is missing to launch the plan</source>
        <translation>Zeigt die Hardware des gewählten Hosts, und was zum Start des Plans fehlt</translation>
    </message>
    <message>
        <source>&amp;Remove the host…</source>
        <translation>Host &amp;entfernen…</translation>
    </message>
    <message>
        <source>Remove the selected host from the list</source>
        <translation>Den gewählten Host aus der Liste entfernen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::LabelsDialog</name>
    <message>
        <source>Tags and notes</source>
        <translation>Tags und Notizen</translation>
    </message>
    <message>
        <source>baseline, lr-sweep</source>
        <translation>baseline, lr-sweep</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>Tags, durch Kommas getrennt</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notizen</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
</context>
<context>
    <name>slipway::ui::LaneChart</name>
    <message>
        <source>Lane</source>
        <translation>Spur</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>Operation</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>Beginn</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>Dauer</translation>
    </message>
</context>
<context>
    <name>slipway::ui::LaunchDialog</name>
    <message>
        <source>Launch</source>
        <translation>Starten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Launch run</source>
        <translation>Lauf starten</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>Vorhersage</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>Befehle</translation>
    </message>
    <message>
        <source>Checks and commands</source>
        <translation>Prüfungen und Befehle</translation>
    </message>
    <message>
        <source>The run continues when Slipway is closed.</source>
        <translation>Der Lauf geht weiter, wenn Slipway geschlossen wird.</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>Dieser Rechner</translation>
    </message>
    <message>
        <source>Slurm cluster of this machine</source>
        <translation>Slurm-Cluster dieses Rechners</translation>
    </message>
    <message>
        <source>--partition=gpu --account=mine</source>
        <translation>--partition=gpu --account=mine</translation>
    </message>
    <message>
        <source>sbatch options</source>
        <translation>sbatch-Optionen</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>a new folder in %1</source>
        <translation>ein neuer Ordner in %1</translation>
    </message>
    <message>
        <source>empty for: %1</source>
        <translation>leer für: %1</translation>
    </message>
    <message>
        <source>Other training script</source>
        <translation>Anderes Trainingsskript</translation>
    </message>
    <message>
        <source>empty for Slipway&apos;s trainer, or: torchrun train.py --batch_size 8</source>
        <translation>leer für den Trainer von Slipway, oder: torchrun train.py --batch_size 8</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Framework</source>
        <translation>Framework</translation>
    </message>
    <message>
        <source>Working folder</source>
        <translation>Arbeitsordner</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>If the host goes away</source>
        <translation>Wenn der Host ausfällt</translation>
    </message>
    <message>
        <source>Copy checkpoints to this machine while the run trains</source>
        <translation>Checkpoints während des Laufs auf diesen Rechner kopieren</translation>
    </message>
    <message>
        <source>node8, slurm:cluster</source>
        <translation>node8, slurm:cluster</translation>
    </message>
    <message>
        <source>Continue on</source>
        <translation>Weiter auf</translation>
    </message>
    <message>
        <source>of another training script, from its working folder</source>
        <translation>eines anderen Trainingsskripts, ab dessen Arbeitsordner</translation>
    </message>
    <message>
        <source>Checkpoint folder</source>
        <translation>Checkpoint-Ordner</translation>
    </message>
    <message>
        <source>Run directory</source>
        <translation>Laufverzeichnis</translation>
    </message>
    <message>
        <source>Token files</source>
        <translation>Token-Dateien</translation>
    </message>
    <message>
        <source>Evaluation data</source>
        <translation>Evaluationsdaten</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>Tokenizer</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Time limit</source>
        <translation>Zeitlimit</translation>
    </message>
    <message>
        <source>Budget</source>
        <translation>Budget</translation>
    </message>
    <message>
        <source>$</source>
        <translation>$</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>Durchsuchen…</translation>
    </message>
    <message>
        <source>The plan assumes %1 × %2. Its predictions apply only if this machine has these GPUs. To plan for its processor, choose the last entry of the list &apos;GPU&apos;.</source>
        <translation>Der Plan nimmt %1 × %2 an. Seine Vorhersagen gelten nur, wenn dieser Rechner diese GPUs hat. Um für seinen Prozessor zu planen, wählen Sie den letzten Eintrag der Liste „GPU“.</translation>
    </message>
    <message>
        <source>Checking %1…</source>
        <translation>%1 wird geprüft…</translation>
    </message>
    <message>
        <source>Launching…</source>
        <translation>Wird gestartet…</translation>
    </message>
    <message>
        <source>Launch anyway</source>
        <translation>Trotzdem starten</translation>
    </message>
    <message>
        <source>A field above has an error.</source>
        <translation>Ein Feld oben enthält einen Fehler.</translation>
    </message>
    <message>
        <source>The host is being checked.</source>
        <translation>Der Host wird geprüft.</translation>
    </message>
    <message>
        <source>The host cannot be used.</source>
        <translation>Der Host kann nicht verwendet werden.</translation>
    </message>
    <message>
        <source>Missing: %1</source>
        <translation>Es fehlt: %1</translation>
    </message>
</context>
<context>
    <name>slipway::ui::LineChart</name>
    <message>
        <source>measured</source>
        <translation>gemessen</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>%1 Punkte</translation>
    </message>
    <message>
        <source>%1: last %2</source>
        <translation>%1: zuletzt %2</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
</context>
<context>
    <name>slipway::ui::LogDialog</name>
    <message>
        <source>Calibrate from a log</source>
        <translation>Aus einem Log kalibrieren</translation>
    </message>
    <message>
        <source>Paste the training log</source>
        <translation>Trainingslog einfügen</translation>
    </message>
    <message>
        <source>The log must come from the configuration on the Plan page: %1.</source>
        <translation>Das Log muss aus der Konfiguration der Seite „Plan“ stammen: %1.</translation>
    </message>
    <message>
        <source>Training log</source>
        <translation>Trainingslog</translation>
    </message>
    <message>
        <source>Open file…</source>
        <translation>Datei öffnen…</translation>
    </message>
    <message>
        <source>Calibrate</source>
        <translation>Kalibrieren</translation>
    </message>
    <message>
        <source>Open training log</source>
        <translation>Trainingslog öffnen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::MainWindow</name>
    <message>
        <source>Open grid point</source>
        <translation>Rasterpunkt öffnen</translation>
    </message>
    <message>
        <source>Open the plan of %1</source>
        <translation>Plan von %1 öffnen</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 auf %2</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>The plan now uses the calibration &apos;%1&apos;</source>
        <translation>Der Plan verwendet jetzt die Kalibrierung „%1“</translation>
    </message>
    <message>
        <source>Removed the calibration &apos;%1&apos;</source>
        <translation>Kalibrierung „%1“ entfernt</translation>
    </message>
    <message>
        <source>Saved the price book &apos;%1&apos;</source>
        <translation>Preistabelle „%1“ gespeichert</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>A draft could not be read: %1</source>
        <translation>Ein Entwurf ist nicht lesbar: %1</translation>
    </message>
    <message>
        <source>a plan without a file</source>
        <translation>einem Plan ohne Datei</translation>
    </message>
    <message>
        <source>Restore the draft</source>
        <translation>Entwurf wiederherstellen</translation>
    </message>
    <message>
        <source>Slipway ended before the changes to %1 were saved. Restore them?</source>
        <translation>Slipway wurde beendet, bevor die Änderungen an %1 gespeichert waren. Änderungen wiederherstellen?</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>Wiederherstellen</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Ask again later</source>
        <translation>Später erneut fragen</translation>
    </message>
    <message>
        <source>%1[*] – Slipway</source>
        <translation>%1[*] – Slipway</translation>
    </message>
    <message>
        <source>Untitled plan</source>
        <translation>Unbenannter Plan</translation>
    </message>
    <message>
        <source>The tables could not be reloaded</source>
        <translation>Die Tabellen konnten nicht neu geladen werden</translation>
    </message>
    <message>
        <source>Explore</source>
        <translation>Erkunden</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>Hosts</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>Farben</translation>
    </message>
    <message>
        <source>Switch between the light and the dark theme (Ctrl+Shift+D)</source>
        <translation>Zwischen hellem und dunklem Farbschema wechseln (Strg+Umschalt+D)</translation>
    </message>
    <message>
        <source>Serve</source>
        <translation>Betrieb</translation>
    </message>
    <message>
        <source>Opened the first %1 of %2 files</source>
        <translation>Die ersten %1 von %2 Dateien wurden geöffnet</translation>
    </message>
</context>
<context>
    <name>slipway::ui::MemoryCard</name>
    <message>
        <source>One step</source>
        <translation>Ein Schritt</translation>
    </message>
    <message>
        <source>%1 of %2 micro-batches are shown; the others are equal to these.</source>
        <translation>%1 von %2 Micro-Batches sind dargestellt; die übrigen gleichen diesen.</translation>
    </message>
    <message>
        <source>Allocated memory after each op of a steady step, by category</source>
        <translation>Belegter Speicher nach jeder Op eines eingeschwungenen Schritts, nach Kategorie</translation>
    </message>
    <message>
        <source>First four</source>
        <translation>Erste vier</translation>
    </message>
    <message>
        <source>Allocated and reserved memory over the first four steps, as in PyTorch&apos;s memory viewer</source>
        <translation>Belegter und reservierter Speicher über die ersten vier Schritte, wie in der Speicheransicht von PyTorch</translation>
    </message>
    <message>
        <source>Textbook</source>
        <translation>Lehrbuch</translation>
    </message>
    <message>
        <source>Textbook formulas and simulation, with the reason for each difference</source>
        <translation>Lehrbuchformeln und Simulation, mit dem Grund jeder Abweichung</translation>
    </message>
    <message>
        <source>Memory over a step</source>
        <translation>Speicherverlauf</translation>
    </message>
    <message>
        <source>First four steps</source>
        <translation>Erste vier Schritte</translation>
    </message>
    <message>
        <source>Textbook and simulation</source>
        <translation>Lehrbuchvergleich</translation>
    </message>
    <message>
        <source>Offloading takes %1 of host memory on each node.</source>
        <translation>Das Auslagern belegt auf jedem Knoten %1 Host-Speicher.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::Monitor</name>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Over finished steps</source>
        <translation>Über abgeschlossenen Schritten</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>Over tokens seen</source>
        <translation>Über gesehenen Tokens</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Over time since the first step, including pauses</source>
        <translation>Über der Zeit seit dem ersten Schritt, einschließlich Pausen</translation>
    </message>
    <message>
        <source>$</source>
        <translation>$</translation>
    </message>
    <message>
        <source>Over billed cost: price × time</source>
        <translation>Über den berechneten Kosten: Preis × Zeit</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Auto</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>Aus</translation>
    </message>
    <message>
        <source>5 steps</source>
        <translation>5 Schritte</translation>
    </message>
    <message>
        <source>20 steps</source>
        <translation>20 Schritte</translation>
    </message>
    <message>
        <source>100 steps</source>
        <translation>100 Schritte</translation>
    </message>
    <message>
        <source>500 steps</source>
        <translation>500 Schritte</translation>
    </message>
    <message>
        <source>Bias-corrected exponential moving average. The weight of a value halves after this number of steps. The unsmoothed values stay visible.</source>
        <translation>Gleitender Mittelwert mit exponentiellem Gewicht, um den Anlauf korrigiert. Das Gewicht eines Werts halbiert sich nach dieser Zahl von Schritten. Die ungeglätteten Werte bleiben sichtbar.</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>Glättung</translation>
    </message>
    <message>
        <source>X axis</source>
        <translation>X-Achse</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linear</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>Loss, gradient norm and learning rate on a logarithmic axis</source>
        <translation>Loss, Gradientennorm und Lernrate auf logarithmischer Achse</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>Loss-Skala</translation>
    </message>
    <message>
        <source>Ctrl+scroll to zoom, drag to pan, double-click to reset</source>
        <translation>Strg+Rad: Zoom, Ziehen: schieben, Doppelklick: alles</translation>
    </message>
    <message>
        <source>With the keyboard in a chart: + and − zoom, 0 resets the view, and the arrow keys move the cursor (with Ctrl in larger steps).</source>
        <translation>Mit der Tastatur in einem Diagramm: + und − zoomen, 0 setzt die Ansicht zurück, die Pfeiltasten bewegen den Cursor (mit Strg in größeren Schritten).</translation>
    </message>
    <message>
        <source>Show this chart in a window of its own, and export it</source>
        <translation>Dieses Diagramm in einem eigenen Fenster zeigen und exportieren</translation>
    </message>
    <message>
        <source>Enlarge %1</source>
        <translation>%1 vergrößern</translation>
    </message>
    <message>
        <source>All runs are hidden. Check a run to show it.</source>
        <translation>Alle Läufe sind ausgeblendet. Lauf ankreuzen, um ihn zu zeigen.</translation>
    </message>
    <message>
        <source>No hourly price is set. Choose another x axis.</source>
        <translation>Kein Stundenpreis gesetzt. Andere X-Achse wählen.</translation>
    </message>
    <message>
        <source>No steps yet. The measurements of each step appear here.</source>
        <translation>Noch keine Schritte. Die Messwerte jedes Schritts erscheinen hier.</translation>
    </message>
    <message>
        <source>%1 of %2 points</source>
        <translation>%1 von %2 Punkten</translation>
    </message>
</context>
<context>
    <name>slipway::ui::OfferTable</name>
    <message>
        <source>listed as single GPUs</source>
        <translation>als einzelne GPUs angeboten</translation>
    </message>
    <message>
        <source>listed by %1</source>
        <translation>zu je %1 angeboten</translation>
    </message>
    <message>
        <source>rents %1 for %2</source>
        <translation>mietet %1 für %2</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Cheapest on demand</source>
        <translation>On-Demand ab</translation>
    </message>
    <message>
        <source>Cheapest spot</source>
        <translation>Spot ab</translation>
    </message>
    <message>
        <source>Training time</source>
        <translation>Trainingsdauer</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Speicherspitze</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>Plan&apos;s price book</source>
        <translation>Preistabelle des Plans</translation>
    </message>
    <message>
        <source>The plan on other GPUs</source>
        <translation>Der Plan auf anderen GPUs</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>tight: %1</source>
        <translation>knapp: %1</translation>
    </message>
    <message>
        <source>out of memory: %1</source>
        <translation>Speicher reicht nicht: %1</translation>
    </message>
    <message>
        <source>, recomputation: %1</source>
        <translation>, Neuberechnung: %1</translation>
    </message>
    <message>
        <source>Micro-batch × accumulation steps. The tokens per step are the same on every GPU.</source>
        <translation>Micro-Batch × Akkumulationsschritte. Die Tokens pro Schritt sind auf jeder GPU gleich.</translation>
    </message>
    <message>
        <source>Predicted step time: %1 (P10 %2, P90 %3)</source>
        <translation>Vorhergesagte Schrittdauer: %1 (P10 %2, P90 %3)</translation>
    </message>
    <message>
        <source>%1: %2 per GPU-hour as of %3. Source: %4</source>
        <translation>%1: %2 pro GPU-Stunde, Stand %3. Quelle: %4</translation>
    </message>
    <message>
        <source>GPU → %1</source>
        <translation>GPU → %1</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PlanComparison</name>
    <message>
        <source>Compared with plan A</source>
        <translation>Vergleich mit Plan A</translation>
    </message>
    <message>
        <source>Setting or figure</source>
        <translation>Einstellung, Kennzahl</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>B, as it is now</source>
        <translation>B, aktuell</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Unterschied</translation>
    </message>
    <message>
        <source>Plan A and this plan</source>
        <translation>Plan A und dieser Plan</translation>
    </message>
    <message>
        <source>Back to A</source>
        <translation>Zurück zu A</translation>
    </message>
    <message>
        <source>Edit plan A again; Undo returns to this plan</source>
        <translation>Plan A wieder bearbeiten; Rückgängig führt zu diesem Plan zurück</translation>
    </message>
    <message>
        <source>Forget A</source>
        <translation>A vergessen</translation>
    </message>
    <message>
        <source>End the comparison</source>
        <translation>Den Vergleich beenden</translation>
    </message>
    <message>
        <source>Back to plan A</source>
        <translation>Zurück zu Plan A</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PlanForm</name>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Custom model shape</source>
        <translation>Eigene Modellform</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>Hardware</translation>
    </message>
    <message>
        <source>Model parallelism</source>
        <translation>Modellparallelisierung</translation>
    </message>
    <message>
        <source>Training step</source>
        <translation>Trainingsschritt</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Edit prices…</source>
        <translation>Preise bearbeiten…</translation>
    </message>
    <message>
        <source>View the shipped price books and edit your own</source>
        <translation>Mitgelieferte Preistabellen ansehen und eigene bearbeiten</translation>
    </message>
    <message>
        <source>Loss and failure assumptions</source>
        <translation>Annahmen zu Loss und Ausfällen</translation>
    </message>
    <message>
        <source>nats</source>
        <translation>Nats</translation>
    </message>
    <message>
        <source>$</source>
        <translation>$</translation>
    </message>
    <message>
        <source>h</source>
        <translation>h</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Calibrate from a log…</source>
        <translation>Aus einem Log kalibrieren…</translation>
    </message>
    <message>
        <source>Fit the calibration constants to a training log of this configuration</source>
        <translation>Kalibrierungskonstanten an ein Trainingslog dieser Konfiguration anpassen</translation>
    </message>
    <message>
        <source>Remove this calibration…</source>
        <translation>Diese Kalibrierung entfernen…</translation>
    </message>
    <message>
        <source>Delete this calibration from your calibrations</source>
        <translation>Diese Kalibrierung aus den eigenen Kalibrierungen löschen</translation>
    </message>
    <message>
        <source>%1
Accepted: %2
Command-line option: %3</source>
        <translation>%1
Zulässig: %2
Befehlszeilenoption: %3</translation>
    </message>
    <message>
        <source>Changed from None: %1 GPUs need a strategy.</source>
        <translation>Geändert von „Keine“: %1 GPUs brauchen eine Strategie.</translation>
    </message>
    <message>
        <source>Changed from %1: training on a CPU needs %2.</source>
        <translation>Geändert von „%1“: Training auf einer CPU braucht %2.</translation>
    </message>
    <message>
        <source>There is no model &apos;%1&apos;.</source>
        <translation>Es gibt kein Modell „%1“.</translation>
    </message>
    <message>
        <source>a size such as 700M</source>
        <translation>eine Größe wie 700M</translation>
    </message>
    <message>
        <source>the path of a config.json or YAML file</source>
        <translation>der Pfad einer config.json oder YAML-Datei</translation>
    </message>
    <message>
        <source>%1 × %2 = %3 tokens per step</source>
        <translation>%1 × %2 = %3 Tokens pro Schritt</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>keine Grenze</translation>
    </message>
    <message>
        <source>Custom shape: %1 parameters, %2 × %3</source>
        <translation>Eigene Form: %1 Parameter, %2 × %3</translation>
    </message>
    <message>
        <source>%1 parameters, %2 × %3</source>
        <translation>%1 Parameter, %2 × %3</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>Einstellungen suchen</translation>
    </message>
    <message>
        <source>No setting matches.</source>
        <translation>Keine Einstellung passt.</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>Erweitert</translation>
    </message>
    <message>
        <source>Default of the framework</source>
        <translation>Vorgabe des Frameworks</translation>
    </message>
    <message>
        <source>My own script…</source>
        <translation>Eigenes Skript …</translation>
    </message>
    <message>
        <source>Set the framework by five questions about your training script</source>
        <translation>Das Framework durch fünf Fragen zum Trainingsskript festlegen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PlanPage</name>
    <message>
        <source>&amp;Open…</source>
        <translation>&amp;Öffnen…</translation>
    </message>
    <message>
        <source>Open a plan, a grid, a model&apos;s config.json, a run directory, metrics, prices, measurements or a log</source>
        <translation>Plan, Raster, config.json eines Modells, Laufverzeichnis, Metriken, Preise, Messungen oder Log öffnen</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>&amp;Zuletzt geöffnet</translation>
    </message>
    <message>
        <source>&amp;Save plan</source>
        <translation>Plan &amp;speichern</translation>
    </message>
    <message>
        <source>Save the plan</source>
        <translation>Plan speichern</translation>
    </message>
    <message>
        <source>Save plan &amp;as…</source>
        <translation>Plan speichern &amp;unter…</translation>
    </message>
    <message>
        <source>Save the plan under another name</source>
        <translation>Plan unter einem anderen Namen speichern</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>&amp;Rückgängig</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>&amp;Wiederholen</translation>
    </message>
    <message>
        <source>&amp;Copy as command</source>
        <translation>Als Befehl &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy the plan as a slipway command</source>
        <translation>Plan als slipway-Befehl kopieren</translation>
    </message>
    <message>
        <source>Report as &amp;PDF…</source>
        <translation>Bericht als &amp;PDF…</translation>
    </message>
    <message>
        <source>Export the report of this plan</source>
        <translation>Bericht zu diesem Plan exportieren</translation>
    </message>
    <message>
        <source>Report as PDF</source>
        <translation>Bericht als PDF</translation>
    </message>
    <message>
        <source>Report as &amp;HTML…</source>
        <translation>Bericht als &amp;HTML…</translation>
    </message>
    <message>
        <source>Export the report as a single self-contained file</source>
        <translation>Bericht als eine einzige, in sich geschlossene Datei exportieren</translation>
    </message>
    <message>
        <source>Report as HTML</source>
        <translation>Bericht als HTML</translation>
    </message>
    <message>
        <source>Results as CS&amp;V…</source>
        <translation>Ergebnisse als &amp;CSV…</translation>
    </message>
    <message>
        <source>Export the results of this plan</source>
        <translation>Ergebnisse dieses Plans exportieren</translation>
    </message>
    <message>
        <source>Results as CSV</source>
        <translation>Ergebnisse als CSV</translation>
    </message>
    <message>
        <source>Step &amp;timeline as Chrome trace…</source>
        <translation>Zeitachse des Schritts als Chrome-&amp;Trace…</translation>
    </message>
    <message>
        <source>Export the timeline for Perfetto</source>
        <translation>Zeitachse für Perfetto exportieren</translation>
    </message>
    <message>
        <source>Step timeline as Chrome trace</source>
        <translation>Zeitachse des Schritts als Chrome-Trace</translation>
    </message>
    <message>
        <source>&amp;Launch…</source>
        <translation>&amp;Starten…</translation>
    </message>
    <message>
        <source>Launch this run</source>
        <translation>Diesen Lauf starten</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export this plan</source>
        <translation>Diesen Plan exportieren</translation>
    </message>
    <message>
        <source>Launch…</source>
        <translation>Starten…</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>Plan</translation>
    </message>
    <message>
        <source>Undo: %1</source>
        <translation>Rückgängig: %1</translation>
    </message>
    <message>
        <source>Nothing to undo</source>
        <translation>Nichts rückgängig zu machen</translation>
    </message>
    <message>
        <source>Redo: %1</source>
        <translation>Wiederholen: %1</translation>
    </message>
    <message>
        <source>Nothing to redo</source>
        <translation>Nichts zu wiederholen</translation>
    </message>
    <message>
        <source> on </source>
        <translation> auf </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>%1 tokens/s</source>
        <translation>%1 Tokens/s</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>%1 öffnen</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Öffnen</translation>
    </message>
    <message>
        <source>Plans and other files (*.yaml *.yml *.json *.jsonl *.csv *.log *.txt *.out);;All files (*)</source>
        <translation>Pläne und andere Dateien (*.yaml *.yml *.json *.jsonl *.csv *.log *.txt *.out);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Save configuration</source>
        <translation>Konfiguration speichern</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Run configurations (*.yaml *.yml)</source>
        <translation>Laufkonfigurationen (*.yaml *.yml)</translation>
    </message>
    <message>
        <source>the untitled plan</source>
        <translation>dem unbenannten Plan</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Ungespeicherte Änderungen</translation>
    </message>
    <message>
        <source>Save the changes to %1?</source>
        <translation>Änderungen an %1 speichern?</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
    <message>
        <source>&amp;Keep as plan A</source>
        <translation>Als Plan A &amp;merken</translation>
    </message>
    <message>
        <source>Compare later changes with the plan as it is now</source>
        <translation>Spätere Änderungen mit dem jetzigen Plan vergleichen</translation>
    </message>
    <message>
        <source>&amp;Back to plan A</source>
        <translation>&amp;Zurück zu Plan A</translation>
    </message>
    <message>
        <source>Edit plan A again</source>
        <translation>Plan A wieder bearbeiten</translation>
    </message>
    <message>
        <source>Keep as A</source>
        <translation>Als A merken</translation>
    </message>
    <message>
        <source>How the &amp;figures are computed…</source>
        <translation>Wie die Kennzahlen &amp;berechnet werden…</translation>
    </message>
    <message>
        <source>Formula, numbers and inputs of every figure</source>
        <translation>Formel, Zahlen und Eingaben jeder Kennzahl</translation>
    </message>
    <message>
        <source>Invalid</source>
        <translation>Ungültig</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PlanResults</name>
    <message>
        <source>Suggested changes</source>
        <translation>Vorgeschlagene Änderungen</translation>
    </message>
    <message>
        <source>each one verified by a full plan</source>
        <translation>jede mit einem vollständigen Plan geprüft</translation>
    </message>
    <message>
        <source>Peak memory by category</source>
        <translation>Speicherspitze nach Kategorie</translation>
    </message>
    <message>
        <source>Step time breakdown</source>
        <translation>Aufteilung der Schrittdauer</translation>
    </message>
    <message>
        <source>Step time by kernel type</source>
        <translation>Schrittdauer nach Kernel-Art</translation>
    </message>
    <message>
        <source>By kernel</source>
        <translation>Nach Kernel</translation>
    </message>
    <message>
        <source>GEMM, attention, communication and other kernels</source>
        <translation>GEMM, Attention, Kommunikation und andere Kernel</translation>
    </message>
    <message>
        <source>By phase</source>
        <translation>Nach Phase</translation>
    </message>
    <message>
        <source>Forward, backward, recomputation, optimizer</source>
        <translation>Forward, Backward, Neuberechnung, Optimizer</translation>
    </message>
    <message>
        <source>Step timeline</source>
        <translation>Zeitachse des Schritts</translation>
    </message>
    <message>
        <source>Pipeline stages of a step, with their bubbles</source>
        <translation>Pipeline-Stufen eines Schritts mit ihren Bubbles</translation>
    </message>
    <message>
        <source>Pipeline stages</source>
        <translation>Pipeline-Stufen</translation>
    </message>
    <message>
        <source>one lane per stream; click, then scroll to zoom; drag to pan; double-click to reset</source>
        <translation>eine Spur pro Stream; klicken, dann Mausrad: zoomen; Ziehen: verschieben; Doppelklick: zurücksetzen</translation>
    </message>
    <message>
        <source>Pipeline stage</source>
        <translation>Pipeline-Stufe</translation>
    </message>
    <message>
        <source>Pipeline stage whose memory and timeline are shown</source>
        <translation>Pipeline-Stufe, deren Speicher und Zeitachse gezeigt werden</translation>
    </message>
    <message>
        <source>Live buffers</source>
        <translation>Aktive Puffer</translation>
    </message>
    <message>
        <source>at the cursor in the memory chart, or at its peak; click the chart to pin a point</source>
        <translation>am Cursor im Speicherdiagramm oder an seiner Spitze; ein Klick ins Diagramm hält einen Punkt fest</translation>
    </message>
    <message>
        <source>Which GPU to rent</source>
        <translation>Welche GPU mieten</translation>
    </message>
    <message>
        <source>the same step on every GPU with a price, lowest cost first; double-click a row to use its GPU</source>
        <translation>derselbe Schritt auf jeder GPU mit Preis, die günstigste zuerst; Doppelklick auf eine Zeile übernimmt ihre GPU</translation>
    </message>
    <message>
        <source>Stage 1 of %1</source>
        <translation>Stufe 1 von %1</translation>
    </message>
    <message>
        <source>Stage 2 of %1</source>
        <translation>Stufe 2 von %1</translation>
    </message>
    <message>
        <source>Represents all stages between the first and the last; some may have one layer less</source>
        <translation>Steht für alle Stufen zwischen der ersten und der letzten; manche haben einen Layer weniger</translation>
    </message>
    <message>
        <source>Stage %1 of %1</source>
        <translation>Stufe %1 von %1</translation>
    </message>
    <message>
        <source>This configuration cannot be planned. %1</source>
        <translation>Diese Konfiguration ist nicht planbar. %1</translation>
    </message>
    <message>
        <source>The results below are those of the last valid configuration.</source>
        <translation>Die Ergebnisse unten sind die der letzten gültigen Konfiguration.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PointFilterBar</name>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Points that fit into memory</source>
        <translation>Punkte, die in den Speicher passen</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>Pareto-Front</translation>
    </message>
    <message>
        <source>Points that no other point within the filters beats</source>
        <translation>Punkte, die kein anderer Punkt innerhalb der Filter übertrifft</translation>
    </message>
    <message>
        <source>Clear all filters</source>
        <translation>Alle Filter löschen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PriceDialog</name>
    <message>
        <source>Spot prices</source>
        <translation>Spot-Preise</translation>
    </message>
    <message>
        <source>Add row</source>
        <translation>Zeile hinzufügen</translation>
    </message>
    <message>
        <source>Remove row</source>
        <translation>Zeile entfernen</translation>
    </message>
    <message>
        <source>Copy and edit</source>
        <translation>Kopieren und bearbeiten</translation>
    </message>
    <message>
        <source>Import price list…</source>
        <translation>Preisliste importieren…</translation>
    </message>
    <message>
        <source>Prices</source>
        <translation>Preise</translation>
    </message>
    <message>
        <source>Price book</source>
        <translation>Preistabelle</translation>
    </message>
    <message>
        <source>A vms.csv file of SkyPilot&apos;s catalogue, with the columns InstanceType, AcceleratorName, AcceleratorCount, Price, Region and SpotPrice</source>
        <translation>Eine vms.csv-Datei aus dem Katalog von SkyPilot mit den Spalten InstanceType, AcceleratorName, AcceleratorCount, Price, Region und SpotPrice</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Speichern</translation>
    </message>
    <message>
        <source>Prices in this price book</source>
        <translation>Preise in dieser Preistabelle</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Name of the price book</source>
        <translation>Name der Preistabelle</translation>
    </message>
    <message>
        <source>%1 (own)</source>
        <translation>%1 (eigene)</translation>
    </message>
    <message>
        <source>Your price book, as of %1. Double-click a cell to edit it.</source>
        <translation>Eigene Preistabelle, Stand %1. Doppelklick auf eine Zelle bearbeitet sie.</translation>
    </message>
    <message>
        <source>Shipped with Slipway, as of %1. Copy it to edit it. %2</source>
        <translation>Mit Slipway geliefert, Stand %1. Zum Bearbeiten kopieren. %2</translation>
    </message>
    <message>
        <source>Copy of &apos;%1&apos;, not saved yet. Double-click a cell to edit it.</source>
        <translation>Kopie von „%1“, noch nicht gespeichert. Doppelklick auf eine Zelle bearbeitet sie.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is the name of a shipped price book. Choose another name.</source>
        <translation>„%1“ ist der Name einer mitgelieferten Preistabelle. Bitte einen anderen Namen wählen.</translation>
    </message>
    <message>
        <source>Discard the unsaved changes to &apos;%1&apos;?</source>
        <translation>Ungespeicherte Änderungen an „%1“ verwerfen?</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Verwerfen</translation>
    </message>
    <message>
        <source>Import price list</source>
        <translation>Preisliste importieren</translation>
    </message>
    <message>
        <source>Price lists (*.csv);;All files (*)</source>
        <translation>Preislisten (*.csv);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is the name of a shipped price book. Rename the file.</source>
        <translation>„%1“ ist der Name einer mitgelieferten Preistabelle. Bitte die Datei umbenennen.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::PriceModel</name>
    <message>
        <source>today</source>
        <translation>heute</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>USD per GPU-hour</source>
        <translation>USD pro GPU-Stunde</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Instance</source>
        <translation>Instanz</translation>
    </message>
    <message>
        <source>Region</source>
        <translation>Region</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>As of</source>
        <translation>Stand</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunActions</name>
    <message>
        <source>Open its &amp;plan</source>
        <translation>Zugehörigen &amp;Plan öffnen</translation>
    </message>
    <message>
        <source>Open the configuration of this run on the Plan page</source>
        <translation>Konfiguration dieses Laufs auf der Seite „Plan“ öffnen</translation>
    </message>
    <message>
        <source>Launch a &amp;copy…</source>
        <translation>&amp;Kopie starten…</translation>
    </message>
    <message>
        <source>Launch a new run with the configuration of this one</source>
        <translation>Neuen Lauf mit der Konfiguration dieses Laufs starten</translation>
    </message>
    <message>
        <source>&amp;Tags and notes…</source>
        <translation>&amp;Tags und Notizen…</translation>
    </message>
    <message>
        <source>Edit the tags and the notes of this run</source>
        <translation>Tags und Notizen dieses Laufs bearbeiten</translation>
    </message>
    <message>
        <source>&amp;Rename…</source>
        <translation>&amp;Umbenennen…</translation>
    </message>
    <message>
        <source>Rename a run that has ended</source>
        <translation>Einen beendeten Lauf umbenennen</translation>
    </message>
    <message>
        <source>&amp;Archive</source>
        <translation>&amp;Archivieren</translation>
    </message>
    <message>
        <source>Hide the run from the list; its files are kept</source>
        <translation>Lauf in der Liste ausblenden; seine Dateien bleiben erhalten</translation>
    </message>
    <message>
        <source>Archived %1</source>
        <translation>%1 archiviert</translation>
    </message>
    <message>
        <source>Restored %1 to the list</source>
        <translation>Wieder in der Liste: %1</translation>
    </message>
    <message>
        <source>Copy its &amp;directory</source>
        <translation>&amp;Verzeichnis kopieren</translation>
    </message>
    <message>
        <source>Copy the path of the run directory</source>
        <translation>Pfad des Laufverzeichnisses kopieren</translation>
    </message>
    <message>
        <source>Open the run directory in the file manager</source>
        <translation>Laufverzeichnis in der Dateiverwaltung öffnen</translation>
    </message>
    <message>
        <source>&amp;Move to trash…</source>
        <translation>&amp;In den Papierkorb verschieben…</translation>
    </message>
    <message>
        <source>Move the directory of a run that has ended to the trash</source>
        <translation>Verzeichnis eines beendeten Laufs in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>Show archi&amp;ved runs</source>
        <translation>Archivierte &amp;Läufe anzeigen</translation>
    </message>
    <message>
        <source>The configuration of the run cannot be read</source>
        <translation>Die Konfiguration des Laufs ist nicht lesbar</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Umbenennen</translation>
    </message>
    <message>
        <source>New name of %1</source>
        <translation>Neuer Name von %1</translation>
    </message>
    <message>
        <source>Renamed to %1</source>
        <translation>In %1 umbenannt</translation>
    </message>
    <message>
        <source>Move %1 runs to the trash?</source>
        <translation>%1 Läufe in den Papierkorb verschieben?</translation>
    </message>
    <message>
        <source>Move %1 to the trash?</source>
        <translation>%1 in den Papierkorb verschieben?</translation>
    </message>
    <message>
        <source>This includes checkpoints, metrics and logs.</source>
        <translation>Dazu gehören Checkpoints, Metriken und Logs.</translation>
    </message>
    <message>
        <source>Runs outside the runs folder are only removed from the list.</source>
        <translation>Läufe außerhalb des Ordners der Läufe werden nur aus der Liste entfernt.</translation>
    </message>
    <message>
        <source>Move to trash</source>
        <translation>In den Papierkorb</translation>
    </message>
    <message>
        <source>The run was not archived</source>
        <translation>Der Lauf wurde nicht archiviert</translation>
    </message>
    <message>
        <source>The run was not restored to the list</source>
        <translation>Der Lauf wurde nicht wieder in die Liste aufgenommen</translation>
    </message>
    <message>
        <source>The run was not renamed</source>
        <translation>Der Lauf wurde nicht umbenannt</translation>
    </message>
    <message>
        <source>The run was not moved to the trash</source>
        <translation>Der Lauf wurde nicht in den Papierkorb verschoben</translation>
    </message>
    <message>
        <source>Open its f&amp;older</source>
        <translation>&amp;Ordner öffnen</translation>
    </message>
    <message>
        <source>Un&amp;archive</source>
        <translation>Aus dem Archiv &amp;holen</translation>
    </message>
    <message>
        <source>Restore from t&amp;he trash</source>
        <translation>&amp;Aus dem Papierkorb wiederherstellen</translation>
    </message>
    <message>
        <source>Undo the last move to the trash</source>
        <translation>Das letzte Verschieben in den Papierkorb rückgängig machen</translation>
    </message>
    <message>
        <source>Restored from the trash</source>
        <translation>Aus dem Papierkorb wiederhergestellt</translation>
    </message>
    <message>
        <source>The run was not restored from the trash</source>
        <translation>Der Lauf wurde nicht aus dem Papierkorb wiederhergestellt</translation>
    </message>
    <message>
        <source>%1 runs</source>
        <translation>%1 Läufe</translation>
    </message>
    <message>
        <source>%1: removed from the list</source>
        <translation>%1: aus der Liste entfernt</translation>
    </message>
    <message>
        <source>%1: moved to the trash</source>
        <translation>%1: in den Papierkorb verschoben</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunControl</name>
    <message>
        <source>Stop %1?

The run finishes its step, writes a checkpoint and ends. You can resume it later.

&apos;Stop within 10 s&apos; kills the run if that takes longer. Progress since the last checkpoint is then lost.</source>
        <translation>%1 anhalten?

Der Lauf beendet seinen Schritt, schreibt einen Checkpoint und endet. Er kann später fortgesetzt werden.

„Innerhalb von 10 s anhalten“ bricht den Lauf ab, wenn das länger dauert. Der Fortschritt seit dem letzten Checkpoint geht dann verloren.</translation>
    </message>
    <message>
        <source>Force %1 to stop?

The run receives SIGTERM. It tries to write a checkpoint before it ends.</source>
        <translation>Anhalten von %1 erzwingen?

Der Lauf erhält SIGTERM. Er versucht, vor dem Ende einen Checkpoint zu schreiben.</translation>
    </message>
    <message>
        <source>Kill %1?

Progress since its last checkpoint is lost.</source>
        <translation>%1 sofort beenden?

Der Fortschritt seit dem letzten Checkpoint geht verloren.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>Stop within 10 s</source>
        <translation>Innerhalb von 10 s anhalten</translation>
    </message>
    <message>
        <source>Stop after checkpoint</source>
        <translation>Nach Checkpoint anhalten</translation>
    </message>
    <message>
        <source>Force stop</source>
        <translation>Anhalten erzwingen</translation>
    </message>
    <message>
        <source>Kill</source>
        <translation>Sofort beenden</translation>
    </message>
    <message>
        <source>The run was not stopped</source>
        <translation>Der Lauf wurde nicht angehalten</translation>
    </message>
    <message>
        <source>Resumed %1</source>
        <translation>%1 fortgesetzt</translation>
    </message>
    <message>
        <source>The run was not resumed</source>
        <translation>Der Lauf wurde nicht fortgesetzt</translation>
    </message>
    <message>
        <source>Stop %1?

The training script receives the stop signal of its framework. If it does not end in time, it is killed. Progress since its last checkpoint may then be lost.</source>
        <translation>%1 anhalten?

Das Trainingsskript erhält das Stoppsignal seines Frameworks. Endet es nicht rechtzeitig, wird es abgebrochen. Der Fortschritt seit seinem letzten Checkpoint kann dann verloren gehen.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunDetail</name>
    <message>
        <source>Stop…</source>
        <translation>Anhalten…</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>Fortsetzen</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Tags and notes…</source>
        <translation>Tags und Notizen…</translation>
    </message>
    <message>
        <source>Calibrate with this run</source>
        <translation>Mit diesem Lauf kalibrieren</translation>
    </message>
    <message>
        <source>Alert thresholds…</source>
        <translation>Alarmschwellen…</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Log</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>Konfiguration</translation>
    </message>
    <message>
        <source>Write a checkpoint and stop the run</source>
        <translation>Checkpoint schreiben und den Lauf anhalten</translation>
    </message>
    <message>
        <source>Continue from the last checkpoint</source>
        <translation>Vom letzten Checkpoint aus fortsetzen</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>Details</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>Ereignisse</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>Diagramme</translation>
    </message>
    <message>
        <source>Predicted vs. measured</source>
        <translation>Vorhergesagt und gemessen</translation>
    </message>
    <message>
        <source>Alerts</source>
        <translation>Alarme</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>Log durchsuchen</translation>
    </message>
    <message>
        <source>Previous match (Shift+Return)</source>
        <translation>Vorheriger Treffer (Umschalt+Eingabe)</translation>
    </message>
    <message>
        <source>Next match (Return)</source>
        <translation>Nächster Treffer (Eingabe)</translation>
    </message>
    <message>
        <source>No match in the last %L1 lines</source>
        <translation>Kein Treffer in den letzten %L1 Zeilen</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 von %2</translation>
    </message>
    <message>
        <source>Quantity</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>Vorhergesagt</translation>
    </message>
    <message>
        <source>P10–P90</source>
        <translation>P10–P90</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>Gemessen</translation>
    </message>
    <message>
        <source>Measured ÷ predicted</source>
        <translation>Gemessen ÷ vorhergesagt</translation>
    </message>
    <message>
        <source>Fit the constants that this run determines, for better predictions on this GPU</source>
        <translation>Die Konstanten anpassen, die dieser Lauf bestimmt, für bessere Vorhersagen auf dieser GPU</translation>
    </message>
    <message>
        <source>Alert</source>
        <translation>Alarm</translation>
    </message>
    <message>
        <source>Since</source>
        <translation>Seit</translation>
    </message>
    <message>
        <source>Until</source>
        <translation>Bis</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Schritt</translation>
    </message>
    <message>
        <source>Alerts are evaluated on this machine, from the run directory only.</source>
        <translation>Alarme werden auf diesem Rechner ausgewertet, nur aus dem Laufverzeichnis.</translation>
    </message>
    <message>
        <source>Alerts (%1)</source>
        <translation>Alarme (%1)</translation>
    </message>
    <message>
        <source>end of the run</source>
        <translation>Ende des Laufs</translation>
    </message>
    <message>
        <source>ongoing</source>
        <translation>anhaltend</translation>
    </message>
    <message>
        <source>  (out of range)</source>
        <translation>  (außerhalb des Bereichs)</translation>
    </message>
    <message>
        <source>Force stop…</source>
        <translation>Anhalten erzwingen…</translation>
    </message>
    <message>
        <source>Edit the tags and notes of the run</source>
        <translation>Tags und Notizen des Laufs bearbeiten</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunExports</name>
    <message>
        <source>Report as PDF…</source>
        <translation>Bericht als PDF…</translation>
    </message>
    <message>
        <source>Report as HTML…</source>
        <translation>Bericht als HTML…</translation>
    </message>
    <message>
        <source>Steps as CSV…</source>
        <translation>Schritte als CSV…</translation>
    </message>
    <message>
        <source>TensorBoard events…</source>
        <translation>TensorBoard-Ereignisse…</translation>
    </message>
    <message>
        <source>Export run</source>
        <translation>Lauf exportieren</translation>
    </message>
    <message>
        <source>Export comparison</source>
        <translation>Vergleich exportieren</translation>
    </message>
    <message>
        <source>Select a folder for the TensorBoard event file</source>
        <translation>Ordner für die TensorBoard-Ereignisdatei auswählen</translation>
    </message>
    <message>
        <source>Exported TensorBoard events to %1</source>
        <translation>TensorBoard-Ereignisse nach %1 exportiert</translation>
    </message>
    <message>
        <source>Comparison as PDF…</source>
        <translation>Vergleich als PDF…</translation>
    </message>
    <message>
        <source>Comparison as HTML…</source>
        <translation>Vergleich als HTML…</translation>
    </message>
    <message>
        <source>Comparison as CSV…</source>
        <translation>Vergleich als CSV…</translation>
    </message>
    <message>
        <source>R&amp;eport as PDF…</source>
        <translation>&amp;Bericht als PDF…</translation>
    </message>
    <message>
        <source>Report as &amp;HTML…</source>
        <translation>Bericht als &amp;HTML…</translation>
    </message>
    <message>
        <source>Export the report of the shown run or comparison as a single self-contained file</source>
        <translation>Bericht des gezeigten Laufs oder Vergleichs als eine eigenständige Datei exportieren</translation>
    </message>
    <message>
        <source>Export the report of the shown run or comparison</source>
        <translation>Bericht des gezeigten Laufs oder Vergleichs exportieren</translation>
    </message>
    <message>
        <source>Figures as C&amp;SV…</source>
        <translation>&amp;Werte als CSV…</translation>
    </message>
    <message>
        <source>Export the steps of the shown run, or the table of the comparison</source>
        <translation>Schritte des gezeigten Laufs oder die Tabelle des Vergleichs exportieren</translation>
    </message>
    <message>
        <source>L&amp;ist of runs as CSV…</source>
        <translation>Lau&amp;fliste als CSV…</translation>
    </message>
    <message>
        <source>Export the runs and the columns that the list shows, in its order</source>
        <translation>Läufe und Spalten exportieren, wie die Liste sie zeigt, in ihrer Reihenfolge</translation>
    </message>
    <message>
        <source>Export list of runs</source>
        <translation>Laufliste exportieren</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunGroupsModel</name>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunLegend</name>
    <message>
        <source>Runs in the charts</source>
        <translation>Läufe in den Diagrammen</translation>
    </message>
    <message>
        <source>Check a run to show it. The selected run is highlighted.</source>
        <translation>Einen Lauf ankreuzen, um ihn zu zeigen. Der ausgewählte Lauf ist hervorgehoben.</translation>
    </message>
    <message>
        <source>Show or hide all</source>
        <translation>Alle ein- oder ausblenden</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunsModel</name>
    <message>
        <source>Run</source>
        <translation>Lauf</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Status</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>Schritte</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>Loss (nats)</source>
        <translation>Loss (Nats)</translation>
    </message>
    <message>
        <source>Time left</source>
        <translation>Restzeit</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>Tags</translation>
    </message>
    <message>
        <source>Last update</source>
        <translation>Zuletzt aktualisiert</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>Hardware</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Host</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunsPage</name>
    <message>
        <source>Alerts use the default thresholds: %1</source>
        <translation>Alarme verwenden die Standardschwellen: %1</translation>
    </message>
    <message>
        <source>No run selected</source>
        <translation>Kein Lauf ausgewählt</translation>
    </message>
    <message>
        <source>The list above shows the runs that were launched here or from the command line, or added by their directory.
Launch a run from the Plan page. Select several runs to compare them.</source>
        <translation>Die Liste oben zeigt die Läufe, die hier oder auf der Befehlszeile gestartet oder über ihr Verzeichnis hinzugefügt wurden.
Ein Lauf wird auf der Seite „Plan“ gestartet. Mehrere ausgewählte Läufe werden verglichen.</translation>
    </message>
    <message>
        <source>Filter by name, tag, state, model…</source>
        <translation>Nach Name, Tag, Status, Modell filtern…</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>Läufe filtern</translation>
    </message>
    <message>
        <source>Show only matching runs (%1)</source>
        <translation>Nur passende Läufe zeigen (%1)</translation>
    </message>
    <message>
        <source>&amp;Import metrics…</source>
        <translation>Metriken &amp;importieren…</translation>
    </message>
    <message>
        <source>Import metrics exported from W&amp;B or TensorBoard (CSV, JSON)</source>
        <translation>Aus W&amp;B oder TensorBoard exportierte Metriken importieren (CSV, JSON)</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>Importieren…</translation>
    </message>
    <message>
        <source>Import metrics</source>
        <translation>Metriken importieren</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>Noch keine Läufe</translation>
    </message>
    <message>
        <source>%1 run</source>
        <translation>%1 Lauf</translation>
    </message>
    <message>
        <source>%1 runs</source>
        <translation>%1 Läufe</translation>
    </message>
    <message>
        <source>%1 of %2 runs</source>
        <translation>%1 von %2 Läufen</translation>
    </message>
    <message>
        <source>Select 2 to %1 runs to compare them</source>
        <translation>Zum Vergleichen 2 bis %1 Läufe auswählen</translation>
    </message>
    <message>
        <source>Import metrics of one run</source>
        <translation>Metriken eines Laufs importieren</translation>
    </message>
    <message>
        <source>Metrics (*.csv *.json *.jsonl);;All files (*)</source>
        <translation>Metriken (*.csv *.json *.jsonl);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Imported as %1</source>
        <translation>Als %1 importiert</translation>
    </message>
    <message>
        <source>The run was not used for a calibration</source>
        <translation>Der Lauf wurde nicht zur Kalibrierung verwendet</translation>
    </message>
    <message>
        <source>The tags and the notes were not saved</source>
        <translation>Die Tags und Notizen wurden nicht gespeichert</translation>
    </message>
    <message>
        <source>The alert thresholds were not saved</source>
        <translation>Die Alarmschwellen wurden nicht gespeichert</translation>
    </message>
    <message>
        <source>The metrics were not imported</source>
        <translation>Die Metriken wurden nicht importiert</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Restore from the trash</source>
        <translation>Aus dem Papierkorb wiederherstellen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>Als CSV exportieren…</translation>
    </message>
    <message>
        <source>Export the list of runs as CSV</source>
        <translation>Laufliste als CSV exportieren</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunsTable</name>
    <message>
        <source>Co&amp;lumns</source>
        <translation>Spalt&amp;en</translation>
    </message>
    <message>
        <source>&amp;Group by</source>
        <translation>&amp;Gruppieren nach</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>Läufe</translation>
    </message>
    <message>
        <source>&amp;Nothing</source>
        <translation>&amp;Nichts</translation>
    </message>
    <message>
        <source>&amp;Tags</source>
        <translation>&amp;Tags</translation>
    </message>
    <message>
        <source>&amp;Model</source>
        <translation>&amp;Modell</translation>
    </message>
    <message>
        <source>&amp;State</source>
        <translation>&amp;Status</translation>
    </message>
    <message>
        <source>&amp;Host</source>
        <translation>&amp;Host</translation>
    </message>
    <message>
        <source>No tags</source>
        <translation>Ohne Tags</translation>
    </message>
    <message>
        <source>Unknown model</source>
        <translation>Unbekanntes Modell</translation>
    </message>
</context>
<context>
    <name>slipway::ui::RunsWatcher</name>
    <message>
        <source>The run can no longer be read; its last state is shown. %1</source>
        <translation>Der Lauf ist nicht mehr lesbar; gezeigt wird sein letzter Stand. %1</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ScatterChart</name>
    <message>
        <source>Series</source>
        <translation>Reihe</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>Speicher reicht nicht</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ScriptDialog</name>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
    <message>
        <source>My own script</source>
        <translation>Eigenes Skript</translation>
    </message>
    <message>
        <source>Five questions set the framework of the plan and its options. What you do not know stays open.</source>
        <translation>Fünf Fragen legen das Framework des Plans und seine Optionen fest. Was nicht bekannt ist, bleibt offen.</translation>
    </message>
    <message>
        <source>What is set</source>
        <translation>Was gesetzt wird</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>The plan already has these answers.</source>
        <translation>Der Plan hat diese Antworten schon.</translation>
    </message>
    <message>
        <source>Apply sets %1.</source>
        <translation>Anwenden setzt: %1.</translation>
    </message>
    <message>
        <source>Describe my own script</source>
        <translation>Eigenes Skript beschreiben</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ScriptWarning</name>
    <message>
        <source>%1: the command sets %2 (%3), but the plan assumes %4.</source>
        <translation>%1: Der Befehl nennt %2 (%3), aber der Plan nimmt %4 an.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ServeFigureCard</name>
    <message>
        <source>Comparisons</source>
        <translation>Vergleiche</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>Modelle</translation>
    </message>
    <message>
        <source>Throughput against memory</source>
        <translation>Durchsatz über Speicher</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>Heads</translation>
    </message>
    <message>
        <source>Grouped-query and multi-head attention</source>
        <translation>Grouped-Query-Attention und volle Heads</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>Experten</translation>
    </message>
    <message>
        <source>Mixture of experts against dense MLPs</source>
        <translation>Mixture of Experts und dichte MLPs</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>Attention</translation>
    </message>
    <message>
        <source>Fused and paged attention, on and off</source>
        <translation>Fused und Paged Attention, an und aus</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Memory of the KV cache over length and batch</source>
        <translation>Speicher des KV-Caches über Länge und Batch</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>Last</translation>
    </message>
    <message>
        <source>Latency against requests per second</source>
        <translation>Latenz über Anfragen pro Sekunde</translation>
    </message>
    <message>
        <source>Chart</source>
        <translation>Diagramm</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>Tabelle</translation>
    </message>
    <message>
        <source>The numbers of the chart as a table</source>
        <translation>Die Zahlen des Diagramms als Tabelle</translation>
    </message>
    <message>
        <source>Numbers of the chart</source>
        <translation>Zahlen des Diagramms</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>Vergleich</translation>
    </message>
    <message>
        <source>Chart or table</source>
        <translation>Diagramm oder Tabelle</translation>
    </message>
    <message>
        <source>Computing…</source>
        <translation>Wird berechnet…</translation>
    </message>
    <message>
        <source>Click a point to plan it.</source>
        <translation>Auf einen Punkt klicken, um ihn zu planen.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ServeForm</name>
    <message>
        <source>Default</source>
        <translation>Vorgabe</translation>
    </message>
    <message>
        <source>Model and hardware</source>
        <translation>Modell und Hardware</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPUs</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>Anfragen</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>Tokens</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>gleichzeitig</translation>
    </message>
    <message>
        <source>per s</source>
        <translation>pro s</translation>
    </message>
    <message>
        <source>Storage</source>
        <translation>Speicherung</translation>
    </message>
    <message>
        <source>Paged</source>
        <translation>In Blöcken</translation>
    </message>
    <message>
        <source>In blocks, as many as a sequence needs</source>
        <translation>In Blöcken, so vielen, wie eine Sequenz braucht</translation>
    </message>
    <message>
        <source>Contiguous</source>
        <translation>Zusammenhängend</translation>
    </message>
    <message>
        <source>In one piece of the longest length</source>
        <translation>In einem Stück der größten Länge</translation>
    </message>
    <message>
        <source>Latency targets and prices</source>
        <translation>Latenzziele und Preise</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>%1 parameters, %2 layers</source>
        <translation>%1 Parameter, %2 Layer</translation>
    </message>
    <message>
        <source>%1 per token</source>
        <translation>%1 pro Token</translation>
    </message>
    <message>
        <source>Custom shape: %1 parameters, %2 layers</source>
        <translation>Eigene Form: %1 Parameter, %2 Layer</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ServePage</name>
    <message>
        <source>&amp;Take model and GPU from the plan</source>
        <translation>&amp;Modell und GPU aus dem Plan übernehmen</translation>
    </message>
    <message>
        <source>Plan to serve the model of the Plan page on its GPU</source>
        <translation>Den Betrieb des Modells der Seite Plan auf seiner GPU planen</translation>
    </message>
    <message>
        <source>&amp;Cancel the computation</source>
        <translation>&amp;Berechnung abbrechen</translation>
    </message>
    <message>
        <source>Stop computing the comparison</source>
        <translation>Die Berechnung der Vergleiche abbrechen</translation>
    </message>
    <message>
        <source>Copy &amp;as serve-plan command</source>
        <translation>Als Befehl serve-plan &amp;kopieren</translation>
    </message>
    <message>
        <source>Copy these settings as a slipway command</source>
        <translation>Diese Einstellungen als Befehl von slipway kopieren</translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Kopiert: %1</translation>
    </message>
    <message>
        <source>Report with all comparisons as &amp;PDF…</source>
        <translation>Bericht mit allen Vergleichen als P&amp;DF…</translation>
    </message>
    <message>
        <source>Export the report of this server</source>
        <translation>Den Bericht über diesen Server exportieren</translation>
    </message>
    <message>
        <source>Results as CS&amp;V…</source>
        <translation>Ergebnisse als &amp;CSV…</translation>
    </message>
    <message>
        <source>Export the results of this server as one row</source>
        <translation>Die Ergebnisse dieses Servers als eine Zeile exportieren</translation>
    </message>
    <message>
        <source>All co&amp;mparisons as CSV…</source>
        <translation>Alle &amp;Vergleiche als CSV…</translation>
    </message>
    <message>
        <source>Export every point of the comparisons</source>
        <translation>Jeden Punkt der Vergleiche exportieren</translation>
    </message>
    <message>
        <source>From the plan</source>
        <translation>Aus dem Plan</translation>
    </message>
    <message>
        <source>Take model and GPU from the plan</source>
        <translation>Modell und GPU aus dem Plan übernehmen</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
    <message>
        <source>Cancel the computation</source>
        <translation>Die Berechnung abbrechen</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Befehl kopieren</translation>
    </message>
    <message>
        <source>Copy as serve-plan command</source>
        <translation>Als Befehl serve-plan kopieren</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>Exportieren</translation>
    </message>
    <message>
        <source>Export this server</source>
        <translation>Diesen Server exportieren</translation>
    </message>
    <message>
        <source>Serve</source>
        <translation>Betrieb</translation>
    </message>
    <message>
        <source>Invalid</source>
        <translation>Ungültig</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ServeResults</name>
    <message>
        <source>Time</source>
        <translation>Zeit</translation>
    </message>
    <message>
        <source>P50</source>
        <translation>P50</translation>
    </message>
    <message>
        <source>P99</source>
        <translation>P99</translation>
    </message>
    <message>
        <source>Times under load</source>
        <translation>Zeiten unter Last</translation>
    </message>
    <message>
        <source>Price book</source>
        <translation>Preistabelle</translation>
    </message>
    <message>
        <source>Per hour</source>
        <translation>Pro Stunde</translation>
    </message>
    <message>
        <source>Per 1M tokens</source>
        <translation>Pro 1M Tokens</translation>
    </message>
    <message>
        <source>Prices</source>
        <translation>Preise</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>Batch</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>Erstes Token</translation>
    </message>
    <message>
        <source>Per token</source>
        <translation>Pro Token</translation>
    </message>
    <message>
        <source>GPUs that meet the latency targets</source>
        <translation>GPUs, die die Latenzziele einhalten</translation>
    </message>
    <message>
        <source>each one verified by its own plan</source>
        <translation>jede durch einen eigenen Plan geprüft</translation>
    </message>
    <message>
        <source>Under load</source>
        <translation>Unter Last</translation>
    </message>
    <message>
        <source>requests arrive at random</source>
        <translation>Anfragen treffen zufällig ein</translation>
    </message>
    <message>
        <source>lowest cost first</source>
        <translation>niedrigste Kosten zuerst</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>Kosten</translation>
    </message>
    <message>
        <source>of output tokens</source>
        <translation>der Ausgabe-Tokens</translation>
    </message>
    <message>
        <source>Memory of one GPU</source>
        <translation>Speicher einer GPU</translation>
    </message>
    <message>
        <source>This server cannot be planned. %1</source>
        <translation>Dieser Server kann nicht geplant werden. %1</translation>
    </message>
    <message>
        <source>The results below are those of the last valid settings.</source>
        <translation>Die Ergebnisse unten gehören zu den letzten gültigen Einstellungen.</translation>
    </message>
    <message>
        <source>%1 of at most %2 requests/s; %3 sequences at once; requests queue up</source>
        <translation>%1 von höchstens %2 Anfragen/s; %3 Sequenzen gleichzeitig; Anfragen stauen sich</translation>
    </message>
    <message>
        <source>%1 of at most %2 requests/s; %3 sequences at once on average</source>
        <translation>%1 von höchstens %2 Anfragen/s; im Mittel %3 Sequenzen gleichzeitig</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>Zeit bis zum ersten Token</translation>
    </message>
    <message>
        <source>Time per output token</source>
        <translation>Zeit pro Ausgabe-Token</translation>
    </message>
    <message>
        <source>Request latency</source>
        <translation>Latenz einer Anfrage</translation>
    </message>
    <message>
        <source>%1 (spot)</source>
        <translation>%1 (Spot)</translation>
    </message>
    <message>
        <source>%1 for %2 rented GPUs</source>
        <translation>%1 für %2 gemietete GPUs</translation>
    </message>
    <message>
        <source>no GPU with a price meets the targets</source>
        <translation>keine GPU mit Preis hält die Ziele ein</translation>
    </message>
    <message>
        <source>Suggested changes</source>
        <translation>Vorgeschlagene Änderungen</translation>
    </message>
    <message>
        <source>With the best batch</source>
        <translation>Mit bestem Batch</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ShortcutsDialog</name>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>Tastenkürzel</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Tasten</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Befehl</translation>
    </message>
    <message>
        <source>Up, Down</source>
        <translation>Auf, Ab</translation>
    </message>
    <message>
        <source>In a number field: the next or the previous value</source>
        <translation>In einem Zahlenfeld: nächster oder vorheriger Wert</translation>
    </message>
    <message>
        <source>Return</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>In a table of points or GPUs: use the selected row in the plan</source>
        <translation>In einer Tabelle von Punkten oder GPUs: ausgewählte Zeile in den Plan übernehmen</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Entf</translation>
    </message>
    <message>
        <source>In the list of runs: move the selected run to the trash</source>
        <translation>In der Liste der Läufe: ausgewählten Lauf in den Papierkorb verschieben</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>In the list of runs: rename the selected run</source>
        <translation>In der Liste der Läufe: ausgewählten Lauf umbenennen</translation>
    </message>
    <message>
        <source>Left, Right</source>
        <translation>Links, Rechts</translation>
    </message>
    <message>
        <source>In a chart: move the cursor</source>
        <translation>In einem Diagramm: Cursor bewegen</translation>
    </message>
    <message>
        <source>In a chart: zoom in, zoom out, show all</source>
        <translation>In einem Diagramm: vergrößern, verkleinern, alles zeigen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::StackedBar</name>
    <message>
        <source>Part</source>
        <translation>Teil</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>Wert</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>Anteil</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
    <message>
        <source>P10–P90</source>
        <translation>P10–P90</translation>
    </message>
</context>
<context>
    <name>slipway::ui::SuggestionList</name>
    <message>
        <source>Searching for changes…</source>
        <translation>Änderungen werden gesucht…</translation>
    </message>
    <message>
        <source>No change was found that makes this plan fit, run faster or cost less.</source>
        <translation>Es wurde keine Änderung gefunden, mit der dieser Plan passt, schneller läuft oder weniger kostet.</translation>
    </message>
</context>
<context>
    <name>slipway::ui::SuggestionRow</name>
    <message>
        <source>%1
Click to apply. Ctrl+Z undoes it.</source>
        <translation>%1
Klicken, um sie anzuwenden. Strg+Z macht sie rückgängig.</translation>
    </message>
    <message>
        <source>Apply</source>
        <translation>Anwenden</translation>
    </message>
</context>
<context>
    <name>slipway::ui::SweepModel</name>
    <message>
        <source>Cannot be planned</source>
        <translation>Nicht planbar</translation>
    </message>
    <message>
        <source>OOM</source>
        <translation>OOM</translation>
    </message>
    <message>
        <source>Tight</source>
        <translation>Knapp</translation>
    </message>
    <message>
        <source>Fits</source>
        <translation>Passt</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>Bewertung</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>Spitze</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Tokens/s/GPU</source>
        <translation>Tokens/s/GPU</translation>
    </message>
    <message>
        <source>$ per 1B tokens</source>
        <translation>$/1B Tokens</translation>
    </message>
    <message>
        <source>Units per 1B tokens</source>
        <translation>Einheiten/1B</translation>
    </message>
</context>
<context>
    <name>slipway::ui::SweepTable</name>
    <message>
        <source>Grid points</source>
        <translation>Rasterpunkte</translation>
    </message>
</context>
<context>
    <name>slipway::ui::TextInput</name>
    <message>
        <source>Decrease</source>
        <translation>Verringern</translation>
    </message>
    <message>
        <source>Increase</source>
        <translation>Erhöhen</translation>
    </message>
</context>
<context>
    <name>slipway::ui::TextbookModel</name>
    <message>
        <source>Category</source>
        <translation>Kategorie</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>Formel</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>Simuliert</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
</context>
<context>
    <name>slipway::ui::TextbookTable</name>
    <message>
        <source>Textbook formulas and simulated peak memory</source>
        <translation>Lehrbuchformeln und simulierte Speicherspitze</translation>
    </message>
    <message>
        <source>Parameters: N = hV + L(12h² + 13h) + 2h = %1, at 16 bytes each. Activations: L(34sbh + 5as²b), reduced by recomputation.</source>
        <translation>Parameter: N = hV + L(12h² + 13h) + 2h = %1, zu je 16 Byte. Aktivierungen: L(34sbh + 5as²b), durch Neuberechnung verringert.</translation>
    </message>
    <message>
        <source>Frozen parameters: N = hV + L(12h² + 13h) + 2h = %1, as they are stored. Adapters: 16 bytes per parameter. Activations: L(34sbh + 5as²b), reduced by recomputation.</source>
        <translation>Eingefrorene Parameter: N = hV + L(12h² + 13h) + 2h = %1, wie sie gespeichert sind. Adapter: 16 Byte je Parameter. Aktivierungen: L(34sbh + 5as²b), durch Neuberechnung verringert.</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>Summe</translation>
    </message>
</context>
<context>
    <name>slipway::ui::ValueFilter</name>
    <message>
        <source>All</source>
        <translation>Alle</translation>
    </message>
    <message>
        <source>Show only points with these values; none chosen: all</source>
        <translation>Nur Punkte mit diesen Werten zeigen; keiner gewählt: alle</translation>
    </message>
    <message>
        <source>%1: all</source>
        <translation>%1: alle</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1: %2 of %3</source>
        <translation>%1: %2 von %3</translation>
    </message>
</context>
<context>
    <name>slipway::ui::WelcomePage</name>
    <message>
        <source>Plan this run</source>
        <translation>Diesen Lauf planen</translation>
    </message>
    <message>
        <source>Open config.json…</source>
        <translation>config.json öffnen…</translation>
    </message>
    <message>
        <source>Open a log…</source>
        <translation>Log öffnen…</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 Parameter</translation>
    </message>
    <message>
        <source>Welcome to Slipway</source>
        <translation>Willkommen bei Slipway</translation>
    </message>
    <message>
        <source>Slipway predicts, before you pay, whether a training run fits, how fast it is and what it costs. It can then start the run and watch it. How do you want to begin?</source>
        <translation>Slipway sagt voraus, bevor Kosten entstehen, ob ein Trainingslauf passt, wie schnell er ist und was er kostet. Danach kann es den Lauf starten und beobachten. Womit soll es losgehen?</translation>
    </message>
    <message>
        <source>With a preset</source>
        <translation>Mit einer Vorlage</translation>
    </message>
    <message>
        <source>Choose a published model and a GPU. Everything can be changed later.</source>
        <translation>Ein veröffentlichtes Modell und eine GPU wählen. Alles lässt sich später ändern.</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>Modell</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>With my model</source>
        <translation>Mit eigenem Modell</translation>
    </message>
    <message>
        <source>Open the config.json of a model in the Hugging Face format. You can also drop it anywhere on the window.</source>
        <translation>Die config.json eines Modells im Hugging-Face-Format öffnen. Sie kann auch irgendwo auf dem Fenster abgelegt werden.</translation>
    </message>
    <message>
        <source>With my training log</source>
        <translation>Mit eigenem Trainingslog</translation>
    </message>
    <message>
        <source>Open the log of a run that you have already trained. Slipway compares it with its prediction and fits the prediction to your hardware.</source>
        <translation>Das Log eines schon trainierten Laufs öffnen. Slipway vergleicht es mit seiner Vorhersage und passt die Vorhersage an die eigene Hardware an.</translation>
    </message>
    <message>
        <source>Paste a log…</source>
        <translation>Log einfügen…</translation>
    </message>
    <message>
        <source>Read the guide (F1)</source>
        <translation>Anleitung lesen (F1)</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>Überspringen</translation>
    </message>
    <message>
        <source>Open config.json</source>
        <translation>config.json öffnen</translation>
    </message>
    <message>
        <source>Models (*.json *.yaml *.yml);;All files (*)</source>
        <translation>Modelle (*.json *.yaml *.yml);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Open a training log</source>
        <translation>Trainingslog öffnen</translation>
    </message>
    <message>
        <source>Logs (*.log *.txt *.out *.err);;All files (*)</source>
        <translation>Logs (*.log *.txt *.out *.err);;Alle Dateien (*)</translation>
    </message>
</context>
<context>
    <name>slipway::ui::WindowMenus</name>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Bearbeiten</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Ansicht</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>&amp;Plan</translation>
    </message>
    <message>
        <source>&amp;Explore</source>
        <translation>&amp;Erkunden</translation>
    </message>
    <message>
        <source>&amp;Runs</source>
        <translation>&amp;Läufe</translation>
    </message>
    <message>
        <source>&amp;Hosts</source>
        <translation>&amp;Hosts</translation>
    </message>
    <message>
        <source>Light or dark &amp;theme</source>
        <translation>Helles oder dunkles &amp;Farbschema</translation>
    </message>
    <message>
        <source>&amp;Command palette…</source>
        <translation>&amp;Befehlspalette…</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>&amp;Sprache</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>Wie das &amp;System</translation>
    </message>
    <message>
        <source>The language changes when Slipway starts again.</source>
        <translation>Die Sprache ändert sich beim nächsten Start von Slipway.</translation>
    </message>
    <message>
        <source>E&amp;xplore</source>
        <translation>&amp;Erkunden</translation>
    </message>
    <message>
        <source>&amp;Find runs</source>
        <translation>Läufe &amp;suchen</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>&amp;Guide</source>
        <translation>&amp;Anleitung</translation>
    </message>
    <message>
        <source>&amp;First steps</source>
        <translation>Erste &amp;Schritte</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>&amp;About Slipway</source>
        <translation>&amp;Über Slipway</translation>
    </message>
    <message>
        <source>&amp;Serve</source>
        <translation>Be&amp;trieb</translation>
    </message>
    <message>
        <source>&amp;Paper size of reports</source>
        <translation>&amp;Papierformat der Berichte</translation>
    </message>
    <message>
        <source>&amp;A4</source>
        <translation>&amp;A4</translation>
    </message>
    <message>
        <source>US &amp;Letter</source>
        <translation>US-&amp;Letter</translation>
    </message>
    <message>
        <source>The&amp;me</source>
        <translation>Farbsche&amp;ma</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>Calib&amp;rate from a log…</source>
        <translation>Aus einem &amp;Log kalibrieren…</translation>
    </message>
    <message>
        <source>Setting › %1</source>
        <translation>Einstellung › %1</translation>
    </message>
    <message>
        <source>Plan with this GPU</source>
        <translation>Mit dieser GPU planen</translation>
    </message>
    <message>
        <source>GPU › %1</source>
        <translation>GPU › %1</translation>
    </message>
    <message>
        <source>S&amp;witch between settings and results</source>
        <translation>&amp;Wechseln zwischen Einstellungen und Ergebnissen</translation>
    </message>
    <message>
        <source>H&amp;osts</source>
        <translation>H&amp;osts</translation>
    </message>
</context>
</TS>
