# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# tokenizer_oracle.py FOLDER MEGABYTES [FAMILY...]: text of many languages out of files that this system has, and odd
# text that is made up; tokenizers trained on some of it (families.py); and what the package tokenizers makes of it all.
#
#   FOLDER/text              the documents, one after the other
#   FOLDER/documents         the length of each in bytes, as little-endian int32
#   FOLDER/NAME/tokenizer.json
#   FOLDER/NAME/counts, ids  of each document, as little-endian int32; begin and end tokens included
#   FOLDER/NAME/decoded      of the first ids of each document: length as int32, then the text
import gettext
import glob
import gzip
import os
import random
import struct
import sys
import unicodedata
from array import array

import families

DECODED = 300  # ids of each document that are decoded


def system_texts(wanted, rng):
    """Translations, manuals, sources and documents that Debian's packages bring along, in any order but always the same."""
    patterns = [
        "/usr/share/locale/*/LC_MESSAGES/*.mo",
        "/usr/share/man/*/man*/*.gz",
        "/usr/share/man/man*/*.gz",
        os.path.dirname(os.__file__) + "/**/*.py",
        "/usr/share/doc/**/*",
        "/usr/share/i18n/locales/*",
        "/usr/share/perl/**/*.p[lm]",
    ]
    files = sorted(
        {path for pattern in patterns for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)}
    )
    rng.shuffle(files)
    have = 0
    for path in files:
        if have >= wanted:
            return
        for text in read(path):
            have += len(text.encode())
            yield text


def read(path):
    try:
        if path.endswith(".mo"):
            with open(path, "rb") as file:
                messages = gettext.GNUTranslations(file)._catalog
            yield "\n".join(value for value in messages.values() if isinstance(value, str) and value)
            return
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            content = file.read(400_000)
        # Binary files are left out; what is no UTF-8 is decoded as Python does it.
        if content and content.count(0) < 2:
            yield content.decode("utf-8", errors="replace")
    except (OSError, ValueError, UnicodeError, EOFError, LookupError):  # also of catalogs that gettext cannot parse
        return


def odd_texts(rng):
    words = [
        "don't",
        "DON'T",
        "we'LL",
        "it'ſ",
        "I'M",
        "naïve",
        "naïve",
        "Å",
        "Å",
        "ﬁne",
        "straße",
        "İstanbul",
        "ǅ",
        "½",
        "٣٤٥",
        "१२३",
        "Ⅻ",
        "①②",
        "한국어",
        "한",
        "日本語",
        "ｶﾞ",
        "中文字符",
        "ไทย",
        "עברית",
        "العربية",
        "हिन्दी",
        "தமிழ்",
        "ქართული",
        "հայերեն",
        "ελληνικά",
        "ΣΟΦΟΣ",
        "русский",
        "Ⱥ",
        "𝔘𝔫𝔦",
        "👩‍👩‍👧‍👦",
        "🏳️‍🌈",
        "🇩🇪",
        "👍🏽",
        "\u200b",
        "\u200d",
        "\ufeff",
        "\u180e",
        "\u00a0",
        "\u3000",
        "\u2028",
        "\x00",
        "\x85",
        "\x1c",
        "<|endoftext|>",
        "<|im_start|>",
        "<s>",
        "</s>",
        "<unk>",
        "<0x41>",
        "<think>",
        "</think>",
        "<left>",
        "<right>",
        "<both>",
        "THE",
        "the",
        "ing",
        "sing",
        "▁",
        "▁▁▁",
        "Ġ",
        "x-y",
        "xy",
        "a,b,,c",
        "12345678",
        "3.14",
        "1,000",
        "\t",
        "\r\n",
        "\n\n\n",
        "    ",
        "  ",
        " ",
        "\u0301",
        "e\u0301",
        "...",
    ]
    for _ in range(300):
        yield "".join(rng.choice(words) + rng.choice(["", "", " ", "  ", "\n"]) for _ in range(rng.randrange(1, 60)))
    blocks = [
        *range(0, 0xD800, 0x800),
        *range(0xE000, 0x18000, 0x800),
        0x1AF00,
        0x1B000,
        0x1BC00,
        0x1D000,
        0x1D800,
        *range(0x1E000, 0x20800, 0x800),
        0x2A000,
        0x2EB00,
        0x2F800,
        0x31000,
        0x32000,
        0xE0000,
        0xF0000,
        0x10F800,
    ]
    for start in blocks:  # nearly every character that this Python's Unicode knows, in order and in disorder
        characters = [chr(c) for c in range(start, start + 0x800) if unicodedata.category(chr(c)) != "Cn"]
        yield "".join(characters)
        rng.shuffle(characters)
        yield " ".join("".join(characters[i : i + 5]) for i in range(0, len(characters), 5))
    for _ in range(300):  # malformed UTF-8
        text = bytearray(" ".join(rng.choice(words) for _ in range(30)).encode())
        for _ in range(rng.randrange(1, 8)):
            text[rng.randrange(len(text))] = rng.randrange(256)
        yield bytes(text).decode("utf-8", errors="replace")
    yield from [
        "",
        " ",
        "\n",
        "a",
        "  a",
        "\u0301a",
        " " * 5000,
        "a" * 5000,
        "ab" * 3000,
        "\n" * 3000,
        "\u00e9" * 3000,
        "é" * 3000,
    ]


def write_family(family, folder, documents, learned, size):
    tokenizer, text = families.make(family, learned, size)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    path = os.path.join(folder, family.__name__)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "tokenizer.json"), "w", encoding="utf-8") as file:
        file.write(text)
    with (
        open(os.path.join(path, "counts"), "wb") as counts,
        open(os.path.join(path, "ids"), "wb") as ids,
        open(os.path.join(path, "decoded"), "wb") as decoded,
    ):
        for start in range(0, len(documents), 500):
            for encoding in tokenizer.encode_batch_fast(documents[start : start + 500]):
                array("i", [len(encoding.ids)]).tofile(counts)
                array("i", encoding.ids).tofile(ids)
                back = tokenizer.decode(encoding.ids[:DECODED], skip_special_tokens=True).encode()
                decoded.write(struct.pack("<i", len(back)) + back)


def main():
    folder, megabytes = sys.argv[1], float(sys.argv[2])
    rng = random.Random(20260101)
    documents = list(system_texts(megabytes * 1e6, rng)) + list(odd_texts(rng))
    rng.shuffle(documents)
    with open(os.path.join(folder, "text"), "wb") as text, open(os.path.join(folder, "documents"), "wb") as lengths:
        for document in documents:
            content = document.encode()
            text.write(content)
            array("i", [len(content)]).tofile(lengths)
    learned = [document[:5_000] for document in documents[:250]]
    for family in families.ALL:
        if len(sys.argv) < 4 or family.__name__ in sys.argv[3:]:
            write_family(family, folder, documents, learned, 3000)


if __name__ == "__main__":
    main()
