// Where a commit is shown.
import {ask, type SessionRow} from './api';
import {go, link} from './router';

// Opens the session that has a commit, at its turn. `on`: a branch or session that probably has it; `number`: the
// session that has it, if it is known.
export async function openTurn(commit: string, {on, number}: {on?: string; number?: number} = {}): Promise<void> {
  const {depth} = await ask<{depth: number}>('show', {rev: commit});
  const has = async (of: string): Promise<boolean> =>
    (await ask<{is_ancestor: boolean}>('is_ancestor', {ancestor: commit, of}).catch(() => ({is_ancestor: false}))).is_ancestor;
  if (on !== undefined && await has(on)) return go(link('session', on, {at: depth}));
  const {sessions} = await ask<{sessions: SessionRow[]}>('sessions');
  for (const each of sessions) {
    if (number !== undefined && each.number !== number) continue;
    for (const branch of each.branches) {
      if (await has(branch)) return go(link('session', branch === each.session ? String(each.number) : branch, {at: depth}));
    }
  }
  go(link('session', commit, {at: depth}));
}
