"""The tree of src/proof/merkle.h against the definitions of RFC 6962, 2.1, 2.1.1 and 2.1.2, written down as they are there: 10,000
random proofs of each kind, which must be equal, accepted, and refused when something in them is changed.

rfc6962_test.py MERKLE-PROGRAM
"""
import functools
import hashlib
import random
import subprocess
import sys

SIZES = 5_000


def hashed(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def split(size):
    """The largest power of two smaller than size."""
    return 1 << ((size - 1).bit_length() - 1)


@functools.lru_cache(maxsize=None)
def head(begin, end):
    """MTH(D[begin:end])."""
    if begin == end:
        return hashed()
    if end - begin == 1:
        return hashed(b"\0", str(begin).encode())
    middle = begin + split(end - begin)
    return hashed(b"\1", head(begin, middle), head(middle, end))


def path(m, begin, end):
    """PATH(m, D[begin:end])."""
    if end - begin == 1:
        return []
    k = split(end - begin)
    if m < k:
        return path(m, begin, begin + k) + [head(begin + k, end)]
    return path(m - k, begin + k, end) + [head(begin, begin + k)]


def subproof(m, begin, end, is_whole):
    """SUBPROOF(m, D[begin:end], b)."""
    if m == end - begin:
        return [] if is_whole else [head(begin, end)]
    k = split(end - begin)
    if m <= k:
        return subproof(m, begin, begin + k, is_whole) + [head(begin + k, end)]
    return subproof(m - k, begin + k, end, False) + [head(begin, begin + k)]


def changed(proof, chance):
    """The proof with a bit flipped, one hash less, or one more."""
    proof = list(proof)
    kind = chance.randrange(3)
    if kind == 0 and proof:
        at = chance.randrange(len(proof))
        flipped = bytearray(proof[at])
        flipped[chance.randrange(32)] ^= 1 << chance.randrange(8)
        proof[at] = bytes(flipped)
    elif kind == 1 and proof:
        del proof[chance.randrange(len(proof))]
    else:
        proof.insert(chance.randrange(len(proof) + 1), chance.randbytes(32))
    return proof


def hexed(hashes):
    return " ".join(each.hex() for each in hashes)


def questions(chance):
    """Pairs of a question and a check of its answer."""
    for size in [*range(1, 40), *(chance.randint(1, SIZES) for _ in range(10_000))]:
        index, old = chance.randrange(size), chance.randint(1, size)
        root, old_root = head(0, size), head(0, old)
        yield f"root 0 {size}", root.hex().__eq__
        proof = path(index, 0, size)
        yield f"inclusion {index} {size}", hexed(proof).__eq__
        yield f"by {index} {size} {hexed(proof)}", root.hex().__eq__
        yield f"by {index} {size} {hexed(changed(proof, chance))}", root.hex().__ne__
        if size > 1:
            other = (index + chance.randrange(1, size)) % size
            yield f"by {other} {size} {hexed(proof)}", root.hex().__ne__
        proof = subproof(old, 0, size, True)
        yield f"consistency {old} {size}", hexed(proof).__eq__
        yield f"consistent {old} {size} {hexed([old_root, root, *proof])}", "1".__eq__
        yield f"consistent {old} {size} {hexed([old_root, root, *changed(proof, chance)])}", "0".__eq__
        if old > 1:
            yield f"consistent {old} {size} {hexed([head(0, old - 1), root, *proof])}", "0".__eq__
        yield f"consistent {old} {size} {hexed([old_root, head(0, size + 1), *proof])}", "0".__eq__


def main():
    assert head(0, 0).hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # SHA-256 of nothing.
    asked = list(questions(random.Random(6962)))
    lines = "".join(question + "\n" for question, _ in asked)
    run = subprocess.run([sys.argv[1]], input=lines, capture_output=True, text=True, check=True)
    answers = run.stdout.split("\n")[:-1]
    assert len(answers) == len(asked), (len(answers), len(asked))
    wrong = [f"{question}: {answer}" for (question, is_right), answer in zip(asked, answers) if not is_right(answer.strip())]
    print(f"{len(asked)} questions, {len(wrong)} wrong answers", *wrong[:5], sep="\n")
    sys.exit(1 if wrong else 0)


main()
