import type {
  SessionKey, SessionStore, SessionStoreEntry, SessionSummaryEntry,
} from '@anthropic-ai/claude-agent-sdk';
import type { Store } from './index.js';

/**
 * Keeps the transcripts of the Claude Agent SDK's sessions in a store, with all six methods of its `SessionStore`.
 *
 *     query({ prompt, options: { sessionStore: new SpoorSessionStore(store) } });
 *
 * The branch `claude/PROJECT/SESSION` is a session, `claude/PROJECT/SESSION+SUBPATH` one of its subagents. Each entry is
 * a turn: messages are those of the conversation, everything else is a note. The Python package's
 * `spoor.claude_agent` reads and writes the same branches, also at the same time.
 */
export class SpoorSessionStore implements Required<SessionStore> {
  constructor(store: Store);

  /** Appends entries, but for those whose `uuid` is there. */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;

  /** Returns the entries of a session; null if there is none. */
  load(key: SessionKey): Promise<SessionStoreEntry[] | null>;

  listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
  listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]>;

  /**
   * Deletes a session and its subagents, or one subagent. Bytes leave the file at `spoor store gc --prune`.
   */
  delete(key: SessionKey): Promise<void>;
  listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}
