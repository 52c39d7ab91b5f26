# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# tokenizer.json files as the families' models have them, but trained on the spot: pre-tokenizers, normalizers, decoders,
# post-processors and the flags of added tokens are theirs. Patterns: the files of the models on huggingface.co.
import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN_2 = LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = [
    r"[\r\n]",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕ]+",
    r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
    r"\s+$",
    r"[一-龥ࠀ-一가-퟿]+",
]


def byte_level(tokenizer, size, texts, specials):
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=specials,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def plain_bytes():
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)


def gpt2(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return byte_level(tokenizer, size, texts, ["<|endoftext|>"])


def roberta_space(texts, size):
    tokenizer = gpt2(texts, size)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return tokenizer


def llama3(texts, size):
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split(LLAMA_3), plain_bytes()])
    byte_level(tokenizer, size, texts, [])
    tokenizer.add_special_tokens(["<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>"])
    begin = tokenizer.token_to_id("<|begin_of_text|>")
    tokenizer.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(
                single="<|begin_of_text|> $A",
                pair="<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
                special_tokens=[("<|begin_of_text|>", begin)],
            ),
        ]
    )
    return tokenizer


def qwen(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split(QWEN_2), plain_bytes()])
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    byte_level(tokenizer, size, texts, [])
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    return tokenizer


def smollm(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    return byte_level(tokenizer, size, texts, ["<|endoftext|>", "<|im_start|>", "<repo_name>"])


def olmo2(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split(LLAMA_3), plain_bytes()])
    byte_level(tokenizer, size, texts, [])
    tokenizer.add_special_tokens(["<|endoftext|>"])
    return tokenizer


def neox(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    byte_level(tokenizer, size, texts, ["<|endoftext|>", "<|padding|>"])
    tokenizer.add_tokens([AddedToken(" " * n, normalized=True) for n in range(24, 1, -1)])
    return tokenizer


def o200k(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split(O200K, "removed", True), plain_bytes()])
    return byte_level(tokenizer, size, texts, ["<|endoftext|>"])


def deepseek(texts, size):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split(pattern) for pattern in DEEPSEEK] + [pre_tokenizers.Digits(individual_digits=True), plain_bytes()]
    )
    return byte_level(tokenizer, size, texts, ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"])


def sentence_pieces(texts, size, specials):
    """A BPE model as SentencePiece makes them: words begin with U+2581, bytes stand for what is unknown."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=specials + [f"<0x{b:02X}>" for b in range(256)],
            limit_alphabet=800,
            show_progress=False,
        ),
    )
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = [token for token in document["added_tokens"] if not token["content"].startswith("<0x")]
    return Tokenizer.from_str(json.dumps(document))


def begins_with(tokenizer, name):
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{name} $A", pair=f"{name} $A {name}:1 $B:1", special_tokens=[(name, tokenizer.token_to_id(name))]
    )


def llama2(texts, size):
    tokenizer = sentence_pieces(texts, size, ["<unk>", "<s>", "</s>"])
    tokenizer.pre_tokenizer = None
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    begins_with(tokenizer, "<s>")
    return tokenizer


def llama2_first(texts, size):
    tokenizer = llama2(texts, size)
    tokenizer.normalizer = None
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    return tokenizer


def gemma(texts, size):
    tokenizer = sentence_pieces(texts, size, ["<pad>", "<eos>", "<bos>", "<unk>"])
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous", False)
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_tokens(
        [AddedToken("\n" * n, normalized=False) for n in range(2, 8)]
        + [AddedToken("▁" * n, normalized=False) for n in range(2, 8)]
    )
    begins_with(tokenizer, "<bos>")
    return tokenizer


def unigram(texts, size):
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    letters = ["".join(c for c in text if c < "\u0530") for text in texts]  # the vocabulary must hold all of them
    tokenizer.train_from_iterator(
        letters,
        trainers.UnigramTrainer(
            vocab_size=size,
            show_progress=False,
            unk_token="<unk>",
            special_tokens=["<s>", "</s>", "<unk>"] + [f"<0x{b:02X}>" for b in range(256)],
        ),
    )
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = [token for token in document["added_tokens"] if not token["content"].startswith("<0x")]
    document["model"]["byte_fallback"] = True
    tokenizer = Tokenizer.from_str(json.dumps(document))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A $B </s>", special_tokens=[("</s>", tokenizer.token_to_id("</s>"))]
    )
    return tokenizer


def unigram_unknown(texts, size):
    document = json.loads(unigram(texts, size).to_str())
    document["model"]["byte_fallback"] = False
    document["normalizer"] = {
        "type": "Sequence",
        "normalizers": [{"type": "Lowercase"}, {"type": "Strip", "strip_left": True, "strip_right": True}],
    }
    document["pre_tokenizer"] = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}
    return Tokenizer.from_str(json.dumps(document))


def flags(texts, size):
    """Every flag of added tokens, merges as texts, a normalizer that adds characters."""
    tokenizer = gpt2(texts, size)
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.add_tokens(
        [
            AddedToken("<left>", lstrip=True),
            AddedToken("<right>", rstrip=True),
            AddedToken("THE", single_word=True),
            AddedToken("<both>", lstrip=True, rstrip=True, normalized=False),
            AddedToken("ing", single_word=True, normalized=False),
        ]
    )
    document = json.loads(tokenizer.to_str())
    document["model"]["merges"] = [" ".join(merge) for merge in document["model"]["merges"]]
    return Tokenizer.from_str(json.dumps(document)), document


def behaviors(texts, size):
    tokenizer = gpt2(texts, size)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            split(r"\s+", "merged_with_next"),
            pre_tokenizers.Split(",", "merged_with_previous"),
            split(r"[aeiou]{2,}|(?<=x)y", "contiguous"),
            pre_tokenizers.Split("-", "removed"),
            split(r"\w+|[^\w\s]+", "isolated", True),
            pre_tokenizers.Digits(individual_digits=False),
            plain_bytes(),
        ]
    )
    return tokenizer


def mapped_first(texts, size):
    """Splits what ByteLevel has already written as characters."""
    tokenizer = gpt2(texts, size)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.ByteLevel(add_prefix_space=True),
            pre_tokenizers.Split("Ġ", "isolated"),
            pre_tokenizers.Digits(individual_digits=True),
        ]
    )
    return tokenizer


def affixes(texts, size):
    """No bytes: words of characters with a prefix and a suffix, and an unknown token."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", continuing_subword_prefix="##", end_of_word_suffix="</w>"))
    tokenizer.pre_tokenizer = split(r"\s+", "removed")
    tokenizer.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=["<unk>"],
            limit_alphabet=200,
            continuing_subword_prefix="##",
            end_of_word_suffix="</w>",
            show_progress=False,
        ),
    )
    return tokenizer


def dropped(texts, size):
    """Characters that the model lacks are left out."""
    document = json.loads(affixes(texts, size).to_str())
    document["model"]["unk_token"] = None
    return Tokenizer.from_str(json.dumps(document))


ALL = [
    gpt2,
    roberta_space,
    llama3,
    qwen,
    smollm,
    olmo2,
    neox,
    o200k,
    deepseek,
    llama2,
    llama2_first,
    gemma,
    unigram,
    unigram_unknown,
    flags,
    behaviors,
    mapped_first,
    affixes,
    dropped,
]


def make(family, texts, size):
    """The tokenizer, and its file's text."""
    made = family(texts, size)
    if isinstance(made, tuple):
        return made[0], json.dumps(made[1], ensure_ascii=False)
    return made, made.to_str()
