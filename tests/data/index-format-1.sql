-- SPDX-FileCopyrightText: 2026 Slipway developers
-- SPDX-License-Identifier: GPL-3.0-only
--
-- runs.sqlite of the first format; RUN stands for the folder of the run.
BEGIN TRANSACTION;
CREATE TABLE alert (directory TEXT NOT NULL, kind TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL DEFAULT '', step INTEGER NOT NULL, message TEXT NOT NULL, PRIMARY KEY (directory, kind, since)) WITHOUT ROWID;
INSERT INTO "alert" VALUES('RUN','memory-near-limit','2026-01-02T03:06:00.000Z','',5,'94 % of the memory is in use');
INSERT INTO "alert" VALUES('RUN','stalled','2026-01-02T03:00:00.000Z','2026-01-02T03:05:00.000Z',4,'no step for 2 min');
CREATE TABLE run (directory TEXT PRIMARY KEY, changed INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "run" VALUES('RUN',-4642258008665631738,'{"name":"fixture","title":"fixture","directory":"RUN","state":"succeeded","detail":"","as_of":null,"host":"local","exit_status":0,"attempts":1,"step":6,"total_steps":6,"tokens":192,"remaining_s":null,"loss":5.721846580505371,"lowest_loss":5.692469596862793,"tokens_per_s":76.51185915406222,"predicted_tokens_per_s":178520.422736361,"peak_allocated_bytes":503296,"usd":null,"last_time":"2026-11-23T03:53:10.972Z","model":"own 29.5K","gpu":"cpu","gpus":1,"imported":false,"tags":["fixture"],"notes":"","problems":0}');
COMMIT;
PRAGMA user_version=1;
