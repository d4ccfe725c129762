#pragma once

/* The C interface of spoor: libspoor.so.0, for programs in any language.
 *
 *     spoor_store *store = NULL;
 *     spoor_open_options options = {sizeof options};
 *     options.create = 1;
 *     if (spoor_open(SPOOR_TEXT("run.spoor"), &options, &store) != SPOOR_OK) ...
 *
 * Names. Every function and type begins with `spoor_`; the library exports nothing else.
 *
 * Results. A function returns a spoor_code: SPOOR_OK, or the reason of the failure, which
 * spoor_last_error() describes. No exception leaves the library. After a failure, output parameters
 * have the value 0 or NULL. Output parameters may not be NULL unless their function says so.
 *
 * Text. All text is UTF-8 with its length in bytes; it need not end with NUL, and may contain one.
 * A spoor_str in a parameter is borrowed for the call. A spoor_buffer in an output parameter
 * belongs to the caller, who releases `data` with spoor_free().
 *
 * Handles. A handle is a name that the library gave out, not an address: a closed, foreign or NULL
 * handle is SPOOR_INVALID, and is never touched. Close each handle once. Closing a store ends its
 * transactions, log cursors and watches: they answer SPOOR_INVALID, and need not be closed.
 *
 * Threads. Every function may be called from every thread, also with one handle at the same time.
 * A handle that is closed during a call ends with that call. spoor_call() takes a store's requests
 * one after the other, and so does spoor_record(); the other functions do not wait for each other.
 * A transaction, a log cursor and a watch serve one call at a time; a second one waits.
 *
 * fork(). In the child, handles from before fork() answer SPOOR_UNAVAILABLE, and cannot be closed.
 * A store file that the parent had open cannot be opened again in the child: SQLite's locks do not
 * survive fork(). Open it after fork(), or use exec().
 *
 * Versions. Structs that begin with `size` may grow at their end: set `size` to sizeof. What a
 * later version adds is 0 for a program that does not know it. Nothing else changes within
 * libspoor.so.0. */

/* NOLINTBEGIN(modernize-deprecated-headers): C has no others. */
#include <stddef.h>
#include <stdint.h>
/* NOLINTEND(modernize-deprecated-headers) */

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed: for programs. */
typedef enum spoor_code {
  SPOOR_DONE = -1, /* not a failure: nothing is left, or the time is over */
  SPOOR_OK = 0,
  SPOOR_NOT_FOUND = 1,   /* the name matches nothing */
  SPOOR_AMBIGUOUS = 2,   /* a prefix names several objects */
  SPOOR_CONFLICT = 3,    /* the state of the store does not allow it */
  SPOOR_CORRUPT = 4,     /* stored bytes do not match their name */
  SPOOR_INVALID = 5,     /* malformed, or makes no sense here */
  SPOOR_DENIED = 6,      /* refused by a limit, a setting or a missing key */
  SPOOR_IO = 7,          /* the disk refused */
  SPOOR_UNAVAILABLE = 8, /* not now: busy, out of memory, or after fork() */
  SPOOR_INTERRUPTED = 9, /* the handle was closed during the call */
  SPOOR_BUG = 10         /* a broken invariant of the library: please report it */
} spoor_code;

/* Text that is borrowed. `data` may be NULL if `size` is 0. */
typedef struct spoor_str {
  const char *data;
  size_t size; /* in bytes */
} spoor_str;

/* Returns a string literal as a spoor_str. */
#ifdef __cplusplus
#define SPOOR_TEXT(literal) (spoor_str{(literal), sizeof(literal) - 1})
#else
#define SPOOR_TEXT(literal) ((spoor_str){(literal), sizeof(literal) - 1})
#endif

/* Bytes that the caller releases with spoor_free(data). A NUL that `size` does not count follows
 * them. */
typedef struct spoor_buffer {
  char *data;
  size_t size; /* in bytes */
} spoor_buffer;

/* The name of a commit or a content: its SHA-256. */
typedef struct spoor_id {
  unsigned char bytes[32];
} spoor_id;

typedef struct spoor_store spoor_store;
typedef struct spoor_transaction spoor_transaction;
typedef struct spoor_log spoor_log;
typedef struct spoor_watch spoor_watch;
/* The answer of a function of the program. A pointer, valid until that function returns: no handle. */
typedef struct spoor_reply spoor_reply;

/* Returns the version of the library, such as "0.1.0". Static. */
const char *spoor_version(void);

/* Releases the `data` of a spoor_buffer. NULL does nothing. */
void spoor_free(void *data);

/* ---- Errors ---- */

typedef struct spoor_error {
  int32_t code;      /* a spoor_code */
  spoor_str message; /* for people: lower case, no full stop, the subject 'quoted' */
  spoor_str hint;    /* what to try next; may be empty */
} spoor_error;

/* Describes the last failure of this thread; code SPOOR_OK if there was none. The texts are valid
 * until the next call that fails on this thread. NULL does nothing. */
void spoor_last_error(spoor_error *error);

/* Returns the word of a code that the JSON interface uses, such as "not_found"; "unknown" for
 * another number. Static. */
const char *spoor_code_name(int32_t code);

/* ---- Stores ---- */

typedef struct spoor_open_options {
  size_t size;       /* sizeof(spoor_open_options) */
  spoor_str author;  /* of turns that name none; empty: `user` */
  int32_t create;    /* not 0: make the store if there is none */
  int32_t read_only; /* not 0: writes are SPOOR_DENIED or SPOOR_IO; for a file */
  int32_t relaxed;   /* not 0: a power cut may take the last commits, in return for faster ones; for
                        a file */
} spoor_open_options;

/* Opens a store: a file by its path, or a store in PostgreSQL by its address
 * (postgres://USER@HOST/DATABASE?store=NAME). `options` may be NULL.
 *
 * SPOOR_NOT_FOUND without `create`, if there is none. A store whose settings ask that texts are
 * redacted or hashed can be read; what would write text is SPOOR_DENIED, since the rules and keys
 * for that belong to the command line.
 *
 * A file that is made here is added to the stores that the user trusts, which the program `spoor`
 * writes ($XDG_DATA_HOME/spoor/trusted, or $HOME/.local/share/spoor/trusted); if that list cannot
 * be written, the program only reads the store until `spoor store trust`. */
int32_t spoor_open(spoor_str where, const spoor_open_options *options, spoor_store **store);

/* Functions of the program that a store calls, on the threads of its callers and on several at
 * once. NULL: none. */
typedef struct spoor_store_functions {
  size_t size;   /* sizeof(spoor_store_functions) */
  void *context; /* given to each */
  /* Returns the time in microseconds since 1970, UTC, in place of the system's clock. */
  int64_t (*now)(void *context);
  /* Gives (spoor_give) a text as it may be stored: of turns, of requests and of what providers
   * sent. `slot` is what it is: `text`, `fields`, `extra`, `facts`, `raw`, `attachment`, `name`,
   * `options` or `request`; the last two, `fields`, `extra` and `facts` must stay in their form
   * (JSON but for `facts`). Not 0 refuses the whole write with SPOOR_DENIED. Commits say `capture:
   * redacted`. */
  int32_t (*scrub)(void *context, spoor_str slot, spoor_str text, spoor_reply *reply);
} spoor_store_functions;

/* Does the same with functions of the program, which must outlive the store; `functions` itself
 * need not. With `scrub`, a store that asks for redacted texts can be written. */
int32_t spoor_open_with(spoor_str where, const spoor_open_options *options,
                        const spoor_store_functions *functions, spoor_store **store);

/* Appends bytes to what a function of the program gives. They are copied. Call it within that
 * function, on its thread. */
int32_t spoor_give(spoor_reply *reply, const char *data, size_t size);

/* Closes a store. Calls in progress finish first, on their own threads. */
int32_t spoor_close(spoor_store *store);

/* Runs one operation of `spoor batch` (docs/batch.md): `request` is a JSON object with `op`, such
 * as {"op": "log", "limit": 3}. `answer` is the operation's result, a JSON document on one line.
 * Operations are those of docs/batch.md under "Sessions", "Writing" and "Reading", and
 * `transaction`. Names that `as` gives live as long as the handle. SPOOR_INVALID for text that is
 * not such an object. */
int32_t spoor_call(spoor_store *store, const char *request, size_t size, spoor_buffer *answer);

/* Records one exchange with a provider, as `spoor proxy` does: the turns of the conversation, and
 * the request byte for byte. Credentials in headers and query are taken out first. The same
 * exchange again writes nothing.
 *
 * `exchange` is one line of JSON, a LF, and the two bodies. Members of the line: `upstream` (the
 * scheme and host), `method`, `target` (path and query), `request_headers` and `response_headers`
 * (lists of [name, value]), `request` and `response` (the bodies' sizes in bytes), `status` (0: no
 * response), `begun` (RFC 3339, UTC, six decimals), `first_byte` and `end` (microseconds after
 * that), `ending` (`complete`, `client_disconnect`, `upstream_no_response`, `upstream_cut`).
 * SPOOR_CORRUPT for anything else.
 *
 * `answer` is {"reason", "ref", "answer", "known", "model"}: the branch and the turn of the answer,
 * or the reason why there is none, such as `non_turn_request`. */
int32_t spoor_record(spoor_store *store, const char *exchange, size_t size, spoor_buffer *answer);

/* ---- Reading ---- */

/* Returns the newest commit of a branch. SPOOR_NOT_FOUND if it has none. */
int32_t spoor_tip(spoor_store *store, spoor_str branch, spoor_id *id);

/* Finds the commit that a revision names: `main`, `main~2`, `tag:x`, 4 or more digits of an id. */
int32_t spoor_resolve(spoor_store *store, spoor_str revision, spoor_id *id);

/* Reads the bytes of a content by its name. */
int32_t spoor_content(spoor_store *store, const spoor_id *id, spoor_buffer *bytes);

typedef struct spoor_compile_options {
  size_t size;    /* sizeof(spoor_compile_options) */
  spoor_str to;   /* `openai` (the array `messages`), `anthropic` (an object with `system`
                     and `messages`) or `text` (for people); empty: the prompt's own
                     document, as operation `compile` answers it */
  int64_t window; /* only the newest turns, this many; 0: all */
  int64_t budget; /* at most this many tokens; 0: no limit */
  int32_t include_reasoning; /* not 0: with reasoning that no annotation skips */
  int32_t strict;            /* not 0: SPOOR_CONFLICT if a merge left a conflict */
} spoor_compile_options;

/* Compiles the prompt at a revision: the same bytes in every process. `options` may be NULL. A
 * branch without turns is SPOOR_NOT_FOUND. */
int32_t spoor_compile(spoor_store *store, spoor_str revision, const spoor_compile_options *options,
                      spoor_buffer *prompt);

/* One turn of a log. Texts belong to the cursor. */
typedef struct spoor_entry {
  spoor_id id;
  spoor_str type;       /* system, user, reasoning, assistant, tool, note, edit, annotate, ... */
  spoor_str text;       /* empty if it has none, or if its bytes were erased */
  spoor_str tool_calls; /* [{"id","name","arguments"}], JSON; empty: none */
  spoor_str call_id;    /* of a tool turn: the call that it answers */
  spoor_str name;       /* of a tool, a directive or an artifact */
  spoor_str author;     /* may be empty */
  spoor_str metadata;   /* a JSON object; may be empty */
  int64_t time;         /* microseconds since 1970, UTC; INT64_MIN: unknown */
  int32_t is_error;     /* of a tool turn: the call failed */
} spoor_entry;

/* Begins to read the first-parent chain that ends at a revision, newest first. Later commits do not
 * appear. */
int32_t spoor_log_open(spoor_store *store, spoor_str revision, spoor_log **log);

/* Reads the next turn. Its texts are valid until the next call with this cursor. SPOOR_DONE after
 * the oldest. */
int32_t spoor_log_next(spoor_log *log, spoor_entry *entry);
int32_t spoor_log_close(spoor_log *log);

/* Watches a branch (empty: all) for turns that this or another process adds. */
int32_t spoor_watch_open(spoor_store *store, spoor_str branch, spoor_watch **watch);

/* Waits for turns, at most `milliseconds`; below 0: until there are some. `moved` is a JSON array,
 * [{"branch": "main", "turns": ["<64 digits>", ...]}], oldest first. SPOOR_DONE if the time is
 * over, SPOOR_INTERRUPTED if another thread closes the watch or the store. Looks at the store 20
 * times a second. */
int32_t spoor_watch_next(spoor_watch *watch, int64_t milliseconds, spoor_buffer *moved);
int32_t spoor_watch_close(spoor_watch *watch);

/* ---- Writing ---- */

typedef struct spoor_turn {
  size_t size;    /* sizeof(spoor_turn) */
  spoor_str type; /* system, user, reasoning, assistant, tool, artifact, summary, note, decision */
  spoor_str text;
  spoor_str tool_calls; /* of an assistant turn: [{"id","name","arguments"}], JSON; empty: none */
  spoor_str call_id;    /* of a tool turn */
  spoor_str name;       /* of a tool, a directive or an artifact; may be empty */
  spoor_str metadata;   /* a JSON object that no model is sent; empty: none */
  spoor_str author;     /* empty: the store's */
  int32_t is_error;     /* of a tool turn */
} spoor_turn;

/* Appends a turn to a branch, which its first turn makes, as one transaction. When the call
 * returns, the turn is on disk (unless `relaxed`). If another writer was first, the turn goes after
 * theirs: none is lost. `id` may be NULL. */
int32_t spoor_append(spoor_store *store, spoor_str branch, const spoor_turn *turn, spoor_id *id);

/* Appends `count` turns as one transaction: all or none. `ids` has room for `count`, or is NULL.
 * The turns are an array with steps of turns[0].size bytes. */
int32_t spoor_append_many(spoor_store *store, spoor_str branch, const spoor_turn *turns,
                          size_t count, spoor_id *ids);

/* Begins a transaction over one or several branches. It holds no lock, and nothing is written,
 * until spoor_commit(). */
int32_t spoor_begin(spoor_store *store, spoor_transaction **transaction);

/* Adds a turn to a transaction, which keeps copies of the texts. */
int32_t spoor_add(spoor_transaction *transaction, spoor_str branch, const spoor_turn *turn);

/* Writes all turns of a transaction, or none. `ids` has room for `count` ids, or is NULL: the first
 * `count` turns are named, in the order they were added. Closes the transaction if it succeeds;
 * after a failure it can be tried again or rolled back. */
int32_t spoor_commit(spoor_transaction *transaction, spoor_id *ids, size_t count);

/* Closes a transaction and writes nothing. */
int32_t spoor_rollback(spoor_transaction *transaction);

/* ---- Agents ---- */

/* Functions of the program that a run calls. NULL: none. `call_tool` is called on several threads
 * at once for tools that are `read_only`, the others on the thread of spoor_run(). */
typedef struct spoor_run_functions {
  size_t size;   /* sizeof(spoor_run_functions) */
  void *context; /* given to each */
  /* Sends a request to the model's provider, gives the body of the response, and returns its HTTP
   * status; 0: the provider was not reached, and what was given is the reason. The request does not
   * ask for a stream. Without this function, requests are sent by the library, with the key in the
   * provider's variable (ANTHROPIC_API_KEY). */
  int32_t (*send)(void *context, spoor_str url, spoor_str body, spoor_reply *reply);
  /* Calls a tool of the run; `arguments` is a JSON object that fits its parameters. What is given
   * is what the model sees; not 0: as an error. */
  int32_t (*call_tool)(void *context, spoor_str tool, spoor_str arguments, spoor_reply *reply);
  /* Asks a person about a call of a tool that needs approval: 1 allows it, 0 refuses it for the
   * reason that was given, -1: no person is there, so the run stops and waits. */
  int32_t (*approve)(void *context, spoor_str tool, spoor_str arguments, spoor_reply *reason);
  /* Gets what happens, as it happens: `started`, `asking`, `text`, `thinking`, `waiting`, `call`,
   * `output`, `result`, `warning`, `ended`. Not 0 stops the run, which can be resumed. */
  int32_t (*event)(void *context, spoor_str event, spoor_str text);
  /* Returns not 0 to stop the run, also while it waits for a provider; it can be resumed. Called 20
   * times a second, on a thread of its own. */
  int32_t (*is_stopped)(void *context);
} spoor_run_functions;

/* Lets an agent work towards a goal on a branch, and waits for its end. Every step is committed.
 *
 * `options` is a JSON object: `model` (`PROVIDER/MODEL`) and either `goal`, or `resume` (the id of
 * a run, a prefix of it, or `latest`) perhaps with `approval` ({"allows", "reason"}). May have:
 * `branch` (`main`), `strategy` (`react`, `plan_and_execute`, `reflexion`), `tools` (a list of
 * {"id", "description", "parameters", "read_only", "needs_approval"}; `parameters` is a JSON Schema
 * of an object), `instructions`, `max_steps`, `max_dollars`, `max_tokens`, `native_calls`,
 * `strict_refs`, `synthesize`, `memory_of`, `base_url`, `params` (an object with members of each
 * request), `rates`: as members of spoor::RunOptions and spoor::Model::Options, in <spoor/spoor.h>.
 *
 * `result` is {"run", "stopped", "by", "answer", "best", "error", "steps", "dollars", "tokens",
 * "is_cost_known", "waits_for", "waits_with"}, as spoor::RunResult. An error of the model or of a
 * tool ends the run with a result; SPOOR_INVALID and others are of the options and of the store. */
int32_t spoor_run(spoor_store *store, const char *options, size_t size,
                  const spoor_run_functions *functions, spoor_buffer *result);

#ifdef __cplusplus
}
#endif
