"""Finds which stored branch is which expected one."""

from model import Branch
from prompts import key_of_expected, key_of_stored, prompts_of, says_something


def _keys(expected):
    prompt = prompts_of(expected.messages)[0]
    is_loose = any(m.contains is not None for m in prompt)
    return [key_of_expected(m, is_loose)[:3] for m in prompt if says_something(m)], is_loose


def told_once(sessions):
    """Returns the branches of sessions, but for those that another session of the source has too.

    A capture that is the front of another is of one conversation with it (docs/importing.md).
    """
    found = [(session, branch, _keys(branch)[0]) for session in sessions
             for branch in session.branches]
    longest = {}
    for session, _, keys in found:
        for end in range(len(keys), 0, -1):
            front = hash(tuple(keys[:end]))
            if longest.get(front, (0, None))[0] >= len(keys):
                break
            longest[front] = (len(keys), session)
    kept = []
    for session, branch, keys in found:
        length, owner = longest.get(hash(tuple(keys)), (0, session))
        if owner is session or not any(key[0] == "assistant" for key in keys):
            kept.append(branch)
    return kept


def _likeness(left, right):
    """Returns how alike the keys of an expected and of a stored branch are."""
    front = 0
    for one, other in zip(left, right):
        if one != other:
            break
        front += 1
    return front + len(set(left) & set(right)) - abs(len(left) - len(right)) / 1000


def match(branches: list[Branch], stored):
    """Pairs each expected branch with the stored one that is most like it.

    Returns the pairs, the expected branches that have none, and the stored ones left over.
    """
    pairs = []
    left = list(branches)
    right = list(stored)
    keys = [_keys(branch) for branch in branches]
    is_loose = any(loose for _, loose in keys)
    stored_keys = [[key_of_stored(m, is_loose)[:3] for m in branch.with_reasoning
                    if says_something(m)] for branch in stored]
    scores = sorted(((_likeness(one, other), -i, -j) for i, (one, _) in enumerate(keys)
                     for j, other in enumerate(stored_keys)), reverse=True)
    for score, i, j in scores:
        one, other = branches[-i], stored[-j]
        if score > 0 and any(one is b for b in left) and any(other is b for b in right):
            pairs.append((one, other))
            left = [b for b in left if b is not one]
            right = [b for b in right if b is not other]
    return pairs, left, right
