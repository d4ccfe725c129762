// Made by bindings/node/types.py from docs/schema/: the operations of `spoor batch`.

/** Members that every operation takes. */
export interface Common {
  /** A name for the commit of the result: later requests write `$name`. */
  as?: string;
  /** No more is kept of a write than that. */
  capture?: 'full' | 'redacted' | 'hashed';
}

/** a call of a tool; arguments is the provider's own text */
export type Call = {
  id: string;
  name: string;
  arguments: string;
};

/** where a ref pointed before and after */
export type Move = {
  name: string;
  before: string | null;
  after: string | null;
};

/** the commit made, where, and the branch's tip before it */
export type Written = {
  hash: string;
  branch: string;
  before: string | null;
};

/** as `written`, with the commits that are copies of others, and those left out */
export type Rewritten = {
  hash: string | null;
  branch: string;
  before: string | null;
  copies: {
    original: string;
    copy: string;
  }[];
  dropped: string[];
};

/** a branch or a tag, where it points, and where it pointed before */
export type Moved = {
  name: string;
  hash: string;
  before: string | null;
};

export type Deleted = {
  name: string;
  before: string;
};

/** one commit, in a log */
export type Entry = {
  hash: string;
  type: string;
  parents: string[];
  depth: number;
  generation: number;
  author: string | null;
  time: string | null;
  model: string | null;
  message: string;
  priority: string | null;
  edited: boolean;
  summarised: boolean;
  counterfactual: boolean | null;
  tokens: number;
  tokens_estimated: boolean;
  refs: string[];
};

/** all that one commit holds */
export type Commit = {
  hash: string;
  type: string;
  parents: string[];
  depth: number;
  generation: number;
  author: string | null;
  time: string | null;
  model: string | null;
  message: string;
  priority: string | null;
  edited: boolean;
  summarised: boolean;
  counterfactual: boolean | null;
  tokens: number;
  tokens_estimated: boolean;
  refs: string[];
  op: string;
  mode: string | null;
  change: string;
  content_hash: string;
  content: {
    hash: string;
    media_type: string;
    bytes: number;
    is_utf8: boolean;
    is_absent: boolean;
    is_erased: boolean;
  } | null;
  text: string | null;
  tool_calls: Call[] | null;
  call_id: string | null;
  name: string | null;
  is_error: boolean;
  format: string | null;
  role: string | null;
  rationale: unknown;
  set: unknown;
  tags: string[];
  metadata: unknown;
  meta: unknown;
  raw: Item[];
  attach: Item[];
  prompt: string | null;
  targets: string[];
  target_list: string | null;
  about: string[];
  sets_priority: string | null;
};

export type Item = {
  hash: string;
  media_type: string;
};

/** what one turn gives a message */
export type Part = {
  type: string;
  text: string;
};

/** one message of a prompt */
export type Message = {
  role: string;
  type: string;
  hash: string | null;
  commits: string[];
  text: string;
  parts: Part[] | null;
  tool_calls: Call[] | null;
  call_id: string | null;
  name: string | null;
  is_error: boolean;
  pictures: Item[];
  priority: string | null;
  edited: boolean;
  tokens: number;
};

export type Match = {
  line: number;
  offset: number;
  bytes: number;
  text: string;
};

export type Argument = {
  tool: string;
  name: string | null;
  matches: Match[];
};

export type Thought = {
  hash: string;
  time: string | null;
  author: string | null;
  model: string | null;
  text: string;
  matches: Match[];
  answer: {
    hash: string;
    time: string | null;
    message: string;
  } | null;
  edit: {
    hash: string;
    text: string;
    matches: Match[];
  } | null;
};

export type Status = {
  branch: string | null;
  detached: boolean;
  head: string | null;
  token_limit: number | null;
};

export type TakenBack = {
  operation: string;
  command: string;
  actor: string;
  refs: Move[];
};

export interface Operations {
  /** the hash a revision names */
  resolve: {
    members: Common & {
      rev?: string;
    };
    result: {
      hash: string;
    };
  };
  /** everything one commit holds */
  show: {
    members: Common & {
      rev?: string;
    };
    result: Commit;
  };
  /** a history, newest first */
  log: {
    members: Common & {
      rev?: string;
      not?: string[];
      limit?: number;
      types?: string[];
      all?: boolean;
      all_commits?: boolean;
      author?: string;
      grep?: string;
      ignore_case?: boolean;
      since?: string;
      until?: string;
    };
    result: {
      commits: Entry[];
    };
  };
  /** the prompt at a commit */
  compile: {
    members: Common & {
      rev?: string;
      at?: string;
      window?: number;
      budget?: number;
      clear_results_after?: number;
      strict?: boolean;
      include_reasoning?: boolean;
      to?: string;
      last?: number;
      coverage?: boolean;
    };
    result: {
      commit: string | null;
      prompt_hash: string;
      count: number;
      tokens: number;
      tokens_estimated: boolean;
      config: Record<string, unknown>;
      left_out: {
        hash: string;
        why: string;
      }[];
      /** with `last`: how many there are by `why` */
      left_out_counts?: Record<string, number>;
      coverage?: unknown;
      conflicts: {
        kind: string;
        target: string;
        ours: string | null;
        theirs: string | null;
      }[];
      request?: unknown;
      tools?: unknown;
      messages?: Message[];
      body?: unknown;
    };
  };
  /** two prompts compared */
  diff: {
    members: Common & {
      from?: string;
      to?: string;
      include_reasoning?: boolean;
    };
    result: {
      from: string | null;
      to: string | null;
      added: number;
      removed: number;
      changed: number;
      unchanged: number;
      token_delta: number;
      tokens_estimated: boolean;
      messages: {
        change: string;
        token_delta: number;
        before: Message | null;
        after: Message | null;
      }[];
      config: Record<string, unknown[]>;
    };
  };
  /** reasoning, each with its answer */
  reasonings: {
    members: Common & {
      rev?: string;
      all?: boolean;
      search?: string;
      limit?: number;
    };
    result: {
      reasoning: Thought[];
    };
  };
  /** the thinking behind one turn */
  reasoning_of: {
    members: Common & {
      rev?: string;
    };
    result: {
      reasoning: Thought[];
    };
  };
  /** turns by what they say */
  search: {
    members: Common & {
      text: string;
      query?: boolean;
      rev?: string;
      not?: string[];
      types?: string[];
      author?: string;
      since?: string;
      until?: string;
      limit?: number;
    };
    result: {
      turns: {
        hash: string;
        depth: number;
        type: string;
        time: string | null;
        author: string | null;
        message: string;
        refs: string[];
        matches: Match[];
        arguments: Argument[];
      }[];
    };
  };
  /** the bytes of a content */
  content: {
    members: Common & {
      hash: string;
    };
    result: {
      hash: string;
      bytes: number;
      base64: string;
    };
  };
  /** names and what they point at */
  refs: {
    members: Common & {
      prefix?: string;
    };
    result: {
      refs: {
        name: string;
        hash: string;
      }[];
    };
  };
  /** where HEAD is */
  status: {
    members: Common;
    result: Status;
  };
  /** is one commit before another */
  is_ancestor: {
    members: Common & {
      ancestor: string;
      of?: string;
    };
    result: {
      is_ancestor: boolean;
    };
  };
  /** the operation log */
  operations: {
    members: Common & {
      after?: number;
      limit?: number;
    };
    result: {
      operations: {
        number: number;
        hash: string;
        time: string;
        actor: string;
        command: string;
        undo: string | null;
        refs: Move[];
      }[];
    };
  };
  /** where a ref pointed at a time */
  ref_at: {
    members: Common & {
      ref: string;
      time: string;
    };
    result: {
      ref: string;
      hash: string | null;
    };
  };
  /** check the whole store */
  fsck: {
    members: Common;
    result: {
      sound: boolean;
      operations: number;
      problem_count: number;
      problems: {
        subject: string;
        rule: string;
        message: string;
      }[];
    };
  };
  /** what gc would remove */
  gc: {
    members: Common & {
      retention?: string;
    };
    result: {
      commits: {
        hash: string;
        type: string;
        time: string | null;
        summary: string;
      }[];
      objects: Record<string, number>;
      bytes: number;
      kept: number;
      folded_operations: number;
    };
  };
  /** make everything derived again */
  rebuild: {
    members: Common;
    result: {
      rebuilt: boolean;
    };
  };
  /** move HEAD */
  switch: {
    members: Common & {
      branch?: string;
      detach?: string;
    };
    result: Status;
  };
  /** limit the prompt */
  set_token_limit: {
    members: Common & {
      tokens?: number;
    };
    result: {
      token_limit: number | null;
    };
  };
  /** add a system prompt */
  system: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add a user's turn */
  user: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add an answer */
  assistant: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add a tool's result */
  tool: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add reasoning */
  reasoning: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add a document */
  artifact: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add a summary */
  summary: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add a note */
  note: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** add a decision */
  decision: {
    members: Common & {
      text: string;
      name?: string;
      role?: string;
      tool_calls?: unknown[];
      call_id?: string;
      is_error?: boolean;
      format?: string;
      rationale?: Record<string, unknown>;
      set?: Record<string, unknown>;
      meta?: Record<string, unknown>;
      raw?: string[];
      attach?: unknown[];
      about?: string[];
      media_type?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** change settings */
  config: {
    members: Common & {
      set: Record<string, unknown>;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** replace a turn's text or calls */
  edit: {
    members: Common & {
      target: string;
      text?: string;
      tool_calls?: unknown[];
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** set a turn's priority */
  annotate: {
    members: Common & {
      target: string;
      priority: string;
      reason?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** summarise a range */
  compress: {
    members: Common & {
      text: string;
      from?: string;
      to?: string;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: {
      hash: string;
      branch: string;
      before: string | null;
      sources: number;
      kept: number;
    };
  };
  /** merge another branch */
  merge: {
    members: Common & {
      source: string;
      mode?: string;
      text?: string;
      targets?: string[];
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** create or move a branch */
  branch: {
    members: Common & {
      name: string;
      to?: string;
      force?: boolean;
    };
    result: Moved;
  };
  /** create or move a tag */
  tag: {
    members: Common & {
      name: string;
      to?: string;
      force?: boolean;
    };
    result: Moved;
  };
  /** delete a branch */
  delete_branch: {
    members: Common & {
      name: string;
    };
    result: Deleted;
  };
  /** delete a tag */
  delete_tag: {
    members: Common & {
      name: string;
    };
    result: Deleted;
  };
  /** require the tip of a branch */
  expect: {
    members: Common & {
      branch: string;
      hash?: string;
    };
    result: {
      branch: string;
      hash: string | null;
    };
  };
  /** move the commits of a branch onto another */
  rebase: {
    members: Common & {
      onto: string;
      branch?: string;
    };
    result: Rewritten;
  };
  /** copy commits to the end */
  cherry_pick: {
    members: Common & {
      targets: string[];
      branch?: string;
    };
    result: Rewritten;
  };
  /** remove commits */
  abandon: {
    members: Common & {
      targets: string[];
      branch?: string;
    };
    result: Rewritten;
  };
  /** replace a commit */
  amend: {
    members: Common & {
      target?: string;
      text?: string;
      message?: string;
      author?: string;
      branch?: string;
    };
    result: Rewritten;
  };
  /** move a branch to a commit */
  reset: {
    members: Common & {
      to: string;
      branch?: string;
    };
    result: Written;
  };
  /** restore an earlier text of a turn */
  restore: {
    members: Common & {
      target: string;
      version: number;
      branch?: string;
      message?: string;
      metadata?: Record<string, unknown>;
      tags?: string[];
      author?: string;
      time?: string;
    };
    result: Written;
  };
  /** undo an operation */
  undo: {
    members: Common & {
      operation?: string;
    };
    result: TakenBack;
  };
  /** redo an undone operation */
  redo: {
    members: Common & {
      operation?: string;
    };
    result: TakenBack;
  };
  /** several writes, all or none */
  transaction: {
    members: Common & {
      ops: Record<string, unknown>[];
    };
    result: {
      results: Record<string, unknown>[];
    };
  };
  /** List the sessions of agents, newest first */
  sessions: {
    members: Common & {
      /** only sessions with turns at or after this time */
      since?: string;
      /** only sessions whose folder contains this */
      project?: string;
      /** only sessions of this agent, such as claude-code */
      agent?: string;
      /** only sessions with a model whose name contains this */
      model?: string;
      /** only sessions that failed or were interrupted */
      failed?: boolean;
      /** at most N sessions */
      limit?: number;
    };
    result: {
      sessions: {
        /** a short name; 1 is the session that started first */
        number: number;
        /** the branch of its main line */
        session: string;
        /** the agent, such as claude-code; spoor for your own */
        agent: string;
        /** the agent's id of the session */
        id: string;
        /** the agent's own title, else the first request */
        title: string;
        /** the folder it worked in; may be empty */
        project: string;
        /** finished, interrupted or failed */
        outcome: string;
        /** time of the first turn */
        started: string | null;
        /** time of the last turn */
        ended: string | null;
        /** messages of the conversation */
        turns: number;
        /** requests of the user */
        requests: number;
        /** answers of models */
        answers: number;
        /** tool calls */
        calls: number;
        /** tool calls that failed or were refused */
        failed_calls: number;
        /** files it changed */
        files: number;
        /** lines it added, where they are known */
        lines_added: number;
        /** lines it removed, where they are known */
        lines_removed: number;
        /** models that answered, the one that answered most first */
        models: string[];
        /** its branches: forks and sub-agents, too */
        branches: string[];
        /** tokens sent, without those from caches */
        input_tokens: number;
        /** tokens read from caches */
        cache_read_tokens: number;
        /** tokens written to caches */
        cache_write_tokens: number;
        /** tokens of answers, reasoning included */
        output_tokens: number;
        /** US dollars, as stated or by list price */
        cost_usd: number | null;
        /** false if an answer has no counts or no price */
        is_complete: boolean;
        /** the last commit of its main line */
        head: string;
      }[];
    };
  };
  /** List the requests of a session, each with what the agent did */
  requests: {
    members: Common & {
      /** a session, or its history up to a commit (default: HEAD) */
      revision?: string;
      /** at most N requests */
      limit?: number;
      /** without what the agent did: only its counts */
      brief?: boolean;
    };
    result: {
      requests: {
        /** 1 is the first of the session; 0 is what precedes it */
        number: number;
        /** the user's turn */
        commit: string | null;
        /** its place on the line, from 0 */
        position: number | null;
        /** when it was asked for */
        time: string | null;
        /** the last time before the next request */
        ended: string | null;
        /** its beginning */
        text: string;
        /** tool calls */
        calls: number;
        /** of these, failed or refused */
        failed_calls: number;
        /** tokens of the answers, where known */
        output_tokens: number;
        /** US dollars, as stated or by list price */
        cost_usd: number | null;
        /** false if an answer has no counts or no price */
        is_complete: boolean;
        /** what the agent thought, wrote and called, in order; none with --brief */
        actions: {
          /** thinking, text, call, failure, compaction, or note: a command to the agent's program, or its mark */
          kind: string;
          /** when it was recorded */
          time: string | null;
          /** the beginning of a thought, an answer or a failure */
          text: string;
          /** of a call: the tool, as the agent names it */
          tool: string;
          /** of a call: what it is about */
          target: string;
          /** of a call: ok, failed, refused or unanswered */
          outcome: string;
          /** of a command, where it is known */
          exit_code: number | null;
          /** milliseconds from the call to its result */
          duration_ms: number | null;
          /** of an edit, where they are known */
          lines_added: number | null;
          /** of an edit, where they are known */
          lines_removed: number | null;
          /** the commit; of a call its result, if it has one */
          commit: string;
        }[];
      }[];
    };
  };
  /** List a part of a history by position, with calls and their results */
  turns: {
    members: Common & {
      /** a session, or its history up to a commit (default: HEAD) */
      revision?: string;
      /** begin at this position; 0 is the oldest (default: the last) */
      from?: number;
      /** at most N commits, 1000 at most (default: 100) */
      limit?: number;
      /** at most N bytes of each text (default: 4000) */
      chars?: number;
    };
    result: {
      turns: {
        /** its place on the line, from 0 */
        position: number;
        /** the commit */
        commit: string;
        /** user, reasoning, assistant, tool, …, edit, annotate, merge */
        kind: string;
        /** when it was recorded */
        time: string | null;
        /** who wrote it */
        author: string;
        /** the model, of what a model wrote */
        model: string;
        /** its text, cut at --chars */
        text: string;
        /** the size of the whole text */
        text_bytes: number;
        /** a program wrote this turn of the user */
        is_injected: boolean;
        /** a result that is marked as an error */
        is_error: boolean;
        /** its text is not in this store */
        is_absent: boolean;
        /** its text was erased */
        is_erased: boolean;
        /** of a decision, its word */
        decision: string;
        /** skip, normal or pinned, as set; empty: not set */
        priority: string;
        /** a later edit replaces its text */
        edited: boolean;
        /** a later summary replaces it */
        summarised: boolean;
        /** the calls that it asks for, or the one that it answers */
        calls: {
          /** the provider's id of the call */
          id: string;
          /** the tool, as the agent names it */
          tool: string;
          /** what the call is about */
          target: string;
          /** its arguments, cut at --chars */
          arguments: string;
          /** ok, failed, refused or unanswered */
          outcome: string;
          /** of a command, where it is known */
          exit_code: number | null;
          /** milliseconds from the call to its result */
          duration_ms: number | null;
          /** of a call: the position of its result; of a result: of the answer that asked */
          position: number | null;
          /** the run of the agent that was called; may be empty */
          child_run: string;
          /** of a result: the files that the call changed */
          edits: {
            /** the file, as the call names it */
            path: string;
            /** lines it added, where they are known */
            lines_added: number | null;
            /** lines it removed, where they are known */
            lines_removed: number | null;
            /** lines of a unified diff; empty if nothing shows the change */
            diff: string;
          }[];
        }[];
        /** pictures and files */
        attach: {
          /** its content */
          hash: string;
          /** as the source names it */
          media_type: string;
        }[];
        /** of an edit, an annotation or a summary: its turns */
        targets: string[];
        /** the last commit of a model's answer */
        ends_answer: boolean;
        /** milliseconds of the answer, or of the call */
        duration_ms: number | null;
        /** of the answer: sent, not from a cache */
        input_tokens: number | null;
        /** of the answer: read from a cache */
        cache_read_tokens: number | null;
        /** of the answer: written to a cache */
        cache_write_tokens: number | null;
        /** of the answer: generated */
        output_tokens: number | null;
        /** US dollars of the answer, as stated or by list price */
        cost_usd: number | null;
        /** of the answer: the provider's word */
        finish_reason: string;
      }[];
    };
  };
  /** Show where a session spent its time and its tokens, piece by piece */
  timeline: {
    members: Common & {
      /** a session, or its history up to a commit (default: HEAD) */
      revision?: string;
      /** at most N rows (default: 20) */
      buckets?: number;
    };
    result: {
      pieces: {
        /** the position of its first commit */
        from: number;
        /** the position of its last commit */
        to: number;
        /** the first time in it */
        started: string | null;
        /** the last time in it */
        ended: string | null;
        /** requests of the user */
        requests: number;
        /** answers of models */
        answers: number;
        /** tool calls with a result */
        calls: number;
        /** of these, failed or refused */
        failed_calls: number;
        /** requests that no model answered */
        failed_requests: number;
        /** decisions of the agent or its runtime */
        decisions: number;
        /** summaries that replaced turns */
        compactions: number;
        /** milliseconds until models had answered */
        model_ms: number;
        /** milliseconds until tools had answered */
        tool_ms: number;
        /** tokens sent, not from a cache */
        input_tokens: number;
        /** tokens read from caches */
        cache_read_tokens: number;
        /** tokens written to caches */
        cache_write_tokens: number;
        /** tokens of the answers */
        output_tokens: number;
        /** tokens of the largest request */
        largest_prompt: number;
        /** US dollars, as stated or by list price */
        cost_usd: number | null;
      }[];
    };
  };
  /** List the branches of a session and where they part */
  lines: {
    members: Common & {
      /** a session, for all its branches; a branch or a commit */
      revision: string[];
    };
    result: {
      lines: {
        /** the branch, or the revision as it was given */
        name: string;
        /** its last commit */
        head: string;
        /** its commits */
        length: number;
        /** of these, those that no earlier row has */
        own: number;
        /** the earlier row that it shares most commits with */
        parts_from: string | null;
        /** the position of its first own commit */
        parts_at: number;
        /** the last commit that it shares with that row */
        base: string | null;
        /** the time of its first own commit */
        started: string | null;
        /** the time of its last commit */
        ended: string | null;
      }[];
    };
  };
  /** Show every edit of a file in all sessions: when, why, and the change */
  file: {
    members: Common & {
      /** the file: its whole path, or the end of it */
      path: string;
      /** only this session; may be given again */
      session?: string[];
      /** only edits at or after this time */
      since?: string;
      /** only sessions whose folder contains this */
      project?: string;
      /** only sessions of this agent */
      agent?: string;
      /** at most N edits */
      limit?: number;
    };
    result: {
      edits: {
        /** the number of the session */
        number: number;
        /** the branch of the session */
        session: string;
        /** when the edit was asked for */
        time: string | null;
        /** the file, as the call names it */
        path: string;
        /** the tool, as the agent names it */
        tool: string;
        /** lines it added, where they are known */
        lines_added: number | null;
        /** lines it removed, where they are known */
        lines_removed: number | null;
        /** the reason: stated, thought or written before the call */
        why: string;
        /** the beginning of the request that led to it */
        request: string;
        /** lines of a unified diff; empty if nothing shows the change */
        diff: string;
        /** the commit that asks for the edit */
        answer: string | null;
        /** the commit of its result */
        result: string | null;
      }[];
    };
  };
  /** List tool calls of all sessions, newest first */
  calls: {
    members: Common & {
      /** only these sessions (default: all) */
      session?: string[];
      /** only calls of this tool; may be given again */
      tool?: string[];
      /** only calls whose arguments match this expression */
      match?: string;
      /** only calls that failed, were refused or have no result */
      failed?: boolean;
      /** only calls at or after this time */
      since?: string;
      /** only sessions whose folder contains this */
      project?: string;
      /** only sessions of this agent */
      agent?: string;
      /** at most N calls */
      limit?: number;
      /** without the arguments, and with the beginning of the target */
      brief?: boolean;
    };
    result: {
      calls: {
        /** the number of the session */
        number: number;
        /** the branch of the session */
        session: string;
        /** the folder the session worked in */
        project: string;
        /** when the call was asked for */
        time: string | null;
        /** the tool, as the agent names it */
        tool: string;
        /** the command, path, address or query it is about */
        target: string;
        /** ok, failed, refused or unanswered */
        outcome: string;
        /** exit code of a command, where it is known */
        exit_code: number | null;
        /** milliseconds it took, where they are known */
        duration_ms: number | null;
        /** the arguments as the model wrote them; none with --brief */
        arguments: string;
        /** the first commit of the answer that asks for the call */
        answer: string | null;
        /** the commit of its result */
        result: string | null;
      }[];
    };
  };
  /** List the answers of models by what they cost, generated, were sent or took */
  answers: {
    members: Common & {
      /** a session, or its history up to a commit (default: HEAD) */
      revision?: string;
      /** those with the most of this first (default: time, the newest first) */
      by?: "time" | "cost" | "output" | "prompt" | "duration";
      /** at most N answers (default: 20) */
      limit?: number;
    };
    result: {
      answers: {
        /** the place of its last commit on the line, from 0 */
        position: number;
        /** its last commit */
        commit: string;
        /** when that was recorded */
        time: string | null;
        /** the model; may be empty */
        model: string;
        /** the beginning of its text; empty if it only calls tools */
        text: string;
        /** the calls that it asks for */
        calls: number;
        /** milliseconds until it was complete */
        duration_ms: number | null;
        /** tokens sent, not from a cache */
        input_tokens: number | null;
        /** tokens read from a cache */
        cache_read_tokens: number | null;
        /** tokens written to a cache */
        cache_write_tokens: number | null;
        /** tokens generated */
        output_tokens: number | null;
        /** tokens of the request in all */
        prompt_tokens: number | null;
        /** US dollars, as stated or by list price */
        cost_usd: number | null;
      }[];
    };
  };
  /** Add up tokens and money by day, model, project or agent */
  cost: {
    members: Common & {
      /** a row for each day, model, project or agent (default: day); may be given again */
      by?: ("day" | "model" | "project" | "agent")[];
      /** only days from this one on */
      since?: string;
      /** only sessions whose folder contains this */
      project?: string;
      /** only sessions of this agent */
      agent?: string;
      /** only models whose name contains this */
      model?: string;
    };
    result: {
      costs: {
        /** the day in UTC; empty if not known, null if costs are not listed by day */
        day: string | null;
        /** the model, likewise */
        model: string | null;
        /** the folder, likewise; empty if it is not known */
        project: string | null;
        /** the agent, likewise */
        agent: string | null;
        /** how many sessions are in it */
        sessions: number;
        /** answers of models */
        answers: number;
        /** tokens sent, without those from caches */
        input_tokens: number;
        /** tokens read from caches */
        cache_read_tokens: number;
        /** tokens written to caches */
        cache_write_tokens: number;
        /** tokens of answers, with their reasoning */
        output_tokens: number;
        /** US dollars, as stated or by list price */
        cost_usd: number | null;
        /** false if an answer has no counts or no price */
        is_complete: boolean;
      }[];
    };
  };
  /** Compare two attempts: system prompts, tool calls, last answers */
  compare: {
    members: Common & {
      /** a session, or its history up to a commit */
      before?: string;
      /** the session or revision to compare with */
      after?: string;
      /** also what both did the same; of trees, each attempt */
      all?: boolean;
      /** the models of this tree of attempts; may be given again */
      tree?: string[];
      /** the models of all trees of this data set */
      dataset?: string;
      /** estimate pass@K (default: 1 and all); may be given again */
      k?: number[];
    };
    result: {
      calls: {
        /** same; changed (other arguments, outcome or text); removed: only in A; added: only in B */
        change: string;
        /** the tool, as the agent names it; system or answer for a text */
        tool: string;
        /** what the call is about; of a text its beginning */
        target: string;
        /** the outcome in A */
        outcome_before: string | null;
        /** the outcome in B */
        outcome_after: string | null;
        /** the commit of the result in A */
        before: string | null;
        /** the commit of the result in B */
        after: string | null;
      }[];
    } | {
      variants: {
        /** the model, PROVIDER/MODEL */
        model: string;
        /** trees; for a data set one for each item */
        tasks: number;
        /** attempts, without those whose branch was deleted */
        attempts: number;
        /** of these, how many have ended */
        ended: number;
        /** of these, how many were judged */
        judged: number;
        /** of these, how many pass */
        passes: number;
        /** for each k that the judged attempts allow */
        pass_at_k: {
          /** the number of attempts of which one must pass */
          k: number;
          /** the unbiased estimate; the mean over tasks */
          value: number;
          /** the lower bound of the 95 % bootstrap interval */
          low: number;
          /** the upper bound of the 95 % bootstrap interval */
          high: number;
        }[];
        /** tokens of requests and answers */
        tokens: number;
        /** US dollars, the known part; null: unknown */
        cost_usd: number | null;
        /** false if a part of the cost is unknown */
        is_complete: boolean;
        /** cost_usd for each pass; null: no pass, or no cost */
        cost_per_pass_usd: number | null;
        /** its attempts */
        rows: {
          /** the id of its tree */
          tree: string;
          /** its number in the tree, from 1 */
          number: number;
          /** its branch */
          branch: string;
          /** the id of its run; null: not begun */
          run: string | null;
          /** waiting, unfinished, ended, or dropped with its branch */
          state: string;
          /** how it ended, as of a run; empty: it has not */
          stopped: string;
          /** what ended it: final_answer, no-recorded-result, … */
          by: string;
          /** pass, fail or unjudged */
          verdict: string;
          /** the commit that is judged; null: it has not ended */
          end: string | null;
          /** the model's last answer */
          answer: string | null;
          /** answers of the model */
          steps: number;
          /** tokens of requests and answers */
          tokens: number;
          /** US dollars; null: unknown */
          cost_usd: number | null;
        }[];
      }[];
    };
  };
  /** List the trees of attempts */
  trees: {
    members: Common & {
      /** only trees of this data set */
      dataset?: string;
      /** at most N trees */
      limit?: number;
    };
    result: {
      trees: {
        /** its id */
        tree: string;
        /** where its branches begin */
        commit: string;
        /** the turn that the attempts go on from */
        base: string;
        /** the position of the base */
        position: number;
        /** when it was made */
        time: string | null;
        /** the request that the attempts answer */
        goal: string;
        /** the data set that it runs an item of; may be empty */
        dataset: string;
        /** the models, PROVIDER/MODEL */
        models: string[];
        /** attempts, without those whose branch was deleted */
        attempts: number;
        /** of these, how many have ended */
        ended: number;
        /** of these, how many were judged */
        judged: number;
        /** of these, how many pass */
        passes: number;
        /** tokens of requests and answers */
        tokens: number;
        /** US dollars, the known part; null: unknown */
        cost_usd: number | null;
        /** false if a part of the cost is unknown */
        is_complete: boolean;
      }[];
    };
  };
  /** Query sessions, calls, edits and costs with SQL */
  sql: {
    members: Common & {
      /** one SELECT (default: list the tables) */
      query?: string;
    };
    result: {
      rows: Record<string, unknown>[];
    };
  };
}
