/* Uses every function of <spoor/c.h>, rightly and wrongly. Its argument is a folder for stores. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spoor/c.h>

static int failures;
static char folder[4096];

#define CHECK(claim)                                                        \
  do {                                                                      \
    if (!(claim)) {                                                         \
      spoor_error why;                                                      \
      spoor_last_error(&why);                                               \
      fprintf(stderr, "%s:%d: %s (last error: %.*s)\n", __FILE__, __LINE__, \
              #claim, (int)why.message.size, why.message.data);             \
      ++failures;                                                           \
    }                                                                       \
  } while (0)

static spoor_str str(const char *text) {
  spoor_str borrowed = {text, strlen(text)};
  return borrowed;
}

static int is(spoor_str text, const char *expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

static int last_code(void) {
  spoor_error error;
  spoor_last_error(&error);
  return error.code;
}

static spoor_store *opened(const char *name) {
  char path[5000];
  spoor_store *store = NULL;
  spoor_open_options options = {sizeof options, SPOOR_TEXT("ada"), 1, 0, 1};
  snprintf(path, sizeof path, "%s/%s", folder, name);
  CHECK(spoor_open(str(path), &options, &store) == SPOOR_OK);
  return store;
}

static spoor_turn turn_of(const char *type, const char *text) {
  spoor_turn turn;
  memset(&turn, 0, sizeof turn);
  turn.size = sizeof turn;
  turn.type = str(type);
  turn.text = str(text);
  return turn;
}

static int call(spoor_store *store, const char *request, spoor_buffer *answer) {
  return spoor_call(store, request, strlen(request), answer);
}

/* ---- Right ---- */

static void append_and_read(void) {
  spoor_store *store = opened("read.spoor");
  spoor_turn many[3];
  spoor_id ids[3], tip, found;
  spoor_buffer bytes;
  many[0] = turn_of("user", "hi");
  many[1] = turn_of("reasoning", "a greeting");
  many[2] = turn_of("assistant", "hello");
  many[2].tool_calls = SPOOR_TEXT("[{\"id\":\"c1\",\"name\":\"look\",\"arguments\":\"{}\"}]");
  many[0].metadata = SPOOR_TEXT("{\"a\":1}");
  CHECK(spoor_append_many(store, SPOOR_TEXT("main"), many, 3, ids) == SPOOR_OK);
  CHECK(spoor_tip(store, SPOOR_TEXT("main"), &tip) == SPOOR_OK);
  CHECK(memcmp(&tip, &ids[2], sizeof tip) == 0);
  CHECK(spoor_resolve(store, SPOOR_TEXT("main~2"), &found) == SPOOR_OK);
  CHECK(memcmp(&found, &ids[0], sizeof found) == 0);

  spoor_turn result = turn_of("tool", "ok");
  result.call_id = SPOOR_TEXT("c1");
  result.name = SPOOR_TEXT("look");
  result.is_error = 1;
  result.author = SPOOR_TEXT("bot");
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &result, NULL) == SPOOR_OK);

  spoor_log *log;
  spoor_entry entry;
  CHECK(spoor_log_open(store, SPOOR_TEXT("main"), &log) == SPOOR_OK);
  CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
  CHECK(is(entry.type, "tool") && is(entry.text, "ok") && is(entry.call_id, "c1"));
  CHECK(is(entry.name, "look") && is(entry.author, "bot") && entry.is_error == 1);
  CHECK(entry.time > 1600000000000000);
  CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
  CHECK(is(entry.tool_calls, "[{\"id\":\"c1\",\"name\":\"look\",\"arguments\":\"{}\"}]"));
  CHECK(is(entry.author, "ada"));
  CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
  CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
  CHECK(is(entry.metadata, "{\"a\":1}"));
  CHECK(spoor_log_next(log, &entry) == SPOOR_DONE);
  CHECK(spoor_log_close(log) == SPOOR_OK);

  spoor_compile_options how = {sizeof how, SPOOR_TEXT("anthropic"), 0, 0, 1, 0};
  CHECK(spoor_compile(store, SPOOR_TEXT("main"), &how, &bytes) == SPOOR_OK);
  CHECK(strstr(bytes.data, "a greeting") != NULL && bytes.size == strlen(bytes.data));
  spoor_free(bytes.data);
  how.include_reasoning = 0;
  CHECK(spoor_compile(store, SPOOR_TEXT("main"), &how, &bytes) == SPOOR_OK);
  CHECK(strstr(bytes.data, "a greeting") == NULL);
  spoor_free(bytes.data);
  CHECK(spoor_compile(store, SPOOR_TEXT("main~2"), NULL, &bytes) == SPOOR_OK);
  CHECK(strstr(bytes.data, "\"prompt_hash\"") != NULL);
  spoor_free(bytes.data);

  CHECK(call(store, "{\"op\":\"show\",\"rev\":\"main\",\"as\":\"x\"}", &bytes) == SPOOR_OK);
  const char *content = strstr(bytes.data, "\"content\":{\"hash\":\"");
  CHECK(content != NULL);
  spoor_id name;
  for (int i = 0; i < 32 && content != NULL; ++i) {
    unsigned byte = 0;
    CHECK(sscanf(content + 19 + 2 * i, "%2x", &byte) == 1);
    name.bytes[i] = (unsigned char)byte;
  }
  spoor_free(bytes.data);
  CHECK(spoor_content(store, &name, &bytes) == SPOOR_OK);
  CHECK(bytes.size == 2 && memcmp(bytes.data, "ok", 2) == 0);
  spoor_free(bytes.data);
  CHECK(call(store, "{\"op\":\"sessions\"}", &bytes) == SPOOR_OK);
  CHECK(strstr(bytes.data, "\"sessions\":[{") != NULL);
  spoor_free(bytes.data);
  CHECK(spoor_close(store) == SPOOR_OK);
}

static void transact(void) {
  spoor_store *store = opened("transact.spoor");
  spoor_transaction *transaction;
  spoor_id ids[2], tip;
  spoor_turn one = turn_of("user", "one"), two = turn_of("user", "two");
  CHECK(spoor_begin(store, &transaction) == SPOOR_OK);
  CHECK(spoor_add(transaction, SPOOR_TEXT("a"), &one) == SPOOR_OK);
  CHECK(spoor_add(transaction, SPOOR_TEXT("b"), &two) == SPOOR_OK);
  CHECK(spoor_tip(store, SPOOR_TEXT("a"), &tip) == SPOOR_NOT_FOUND);
  CHECK(spoor_commit(transaction, ids, 2) == SPOOR_OK);
  CHECK(spoor_tip(store, SPOOR_TEXT("b"), &tip) == SPOOR_OK);
  CHECK(memcmp(&tip, &ids[1], sizeof tip) == 0);
  CHECK(spoor_commit(transaction, NULL, 0) == SPOOR_INVALID);

  CHECK(spoor_begin(store, &transaction) == SPOOR_OK);
  CHECK(spoor_add(transaction, SPOOR_TEXT("c"), &one) == SPOOR_OK);
  CHECK(spoor_rollback(transaction) == SPOOR_OK);
  CHECK(spoor_tip(store, SPOOR_TEXT("c"), &tip) == SPOOR_NOT_FOUND);
  CHECK(spoor_rollback(transaction) == SPOOR_INVALID);
  CHECK(spoor_close(store) == SPOOR_OK);
}

static void record(void) {
  static const char request[] =
      "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
  static const char response[] =
      "{\"id\":\"c1\",\"object\":\"chat.completion\",\"model\":\"gpt-5\",\"choices\":[{\"index\":0,"
      "\"finish_reason\":\"stop\",\"message\":{\"role\":\"assistant\",\"content\":\"hello\"}}]}";
  spoor_store *store = opened("record.spoor");
  spoor_buffer answer;
  char exchange[2000];
  const int size = snprintf(
      exchange, sizeof exchange,
      "{\"upstream\":\"https://api.openai.com\",\"method\":\"POST\",\"target\":\"/v1/chat/completions\","
      "\"request_headers\":[[\"Authorization\",\"Bearer sk-of-nobody-0123456789\"]],\"request\":%zu,"
      "\"status\":200,\"response_headers\":[[\"Content-Type\",\"application/json\"]],\"response\":%zu,"
      "\"begun\":\"2026-11-21T20:13:24.000000Z\",\"first_byte\":10,\"end\":20,"
      "\"ending\":\"complete\"}\n%s%s",
      sizeof request - 1, sizeof response - 1, request, response);
  CHECK(spoor_record(store, exchange, (size_t)size, &answer) == SPOOR_OK);
  CHECK(strstr(answer.data, "\"reason\":null") != NULL);
  CHECK(strstr(answer.data, "\"ref\":\"") != NULL);
  CHECK(strstr(answer.data, "\"known\":false") != NULL);
  spoor_free(answer.data);
  CHECK(spoor_record(store, exchange, (size_t)size, &answer) == SPOOR_OK);
  CHECK(strstr(answer.data, "\"known\":true") != NULL);
  spoor_free(answer.data);
  CHECK(spoor_record(store, exchange, (size_t)size - 1, &answer) == SPOOR_CORRUPT);
  CHECK(spoor_record(store, "{}", 2, &answer) == SPOOR_CORRUPT);
  CHECK(call(store, "{\"op\":\"search\",\"text\":\"hello\"}", &answer) == SPOOR_OK);
  CHECK(strstr(answer.data, "\"type\":\"assistant\"") != NULL);
  spoor_free(answer.data);
  CHECK(spoor_close(store) == SPOOR_OK);
}

struct closer {
  spoor_watch *watch;
};

static void *close_later(void *argument) {
  usleep(100000);
  CHECK(spoor_watch_close(((struct closer *)argument)->watch) == SPOOR_OK);
  return NULL;
}

static void watch(void) {
  spoor_store *store = opened("watch.spoor");
  struct closer closer;
  spoor_buffer moved;
  spoor_turn turn = turn_of("user", "seen");
  pthread_t thread;
  CHECK(spoor_watch_open(store, SPOOR_TEXT(""), &closer.watch) == SPOOR_OK);
  CHECK(spoor_watch_next(closer.watch, 0, &moved) == SPOOR_DONE);
  CHECK(moved.data == NULL);
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_OK);
  CHECK(spoor_watch_next(closer.watch, 10000, &moved) == SPOOR_OK);
  CHECK(moved.data != NULL && strncmp(moved.data, "[{\"branch\":\"main\",\"turns\":[\"", 28) == 0);
  spoor_free(moved.data);
  pthread_create(&thread, NULL, close_later, &closer);
  CHECK(spoor_watch_next(closer.watch, -1, &moved) == SPOOR_INTERRUPTED);
  pthread_join(thread, NULL);
  CHECK(spoor_close(store) == SPOOR_OK);
}

/* ---- Wrong ---- */

static void misuse(void) {
  spoor_store *store = opened("misuse.spoor"), *other = NULL;
  spoor_log *log;
  spoor_watch *watching;
  spoor_transaction *transaction;
  spoor_turn turn = turn_of("user", "hi");
  spoor_entry entry;
  spoor_buffer bytes;
  spoor_error error;
  spoor_id id;
  int local = 0;

  CHECK(spoor_open(SPOOR_TEXT(""), NULL, &other) == SPOOR_INVALID);
  CHECK(spoor_open(SPOOR_TEXT("x"), NULL, NULL) == SPOOR_INVALID);
  CHECK(spoor_open(SPOOR_TEXT("/nonexistent/x.spoor"), NULL, &other) == SPOOR_NOT_FOUND);
  CHECK(other == NULL);
  spoor_last_error(&error);
  CHECK(error.code == SPOOR_NOT_FOUND && error.message.size > 0);
  spoor_last_error(NULL);
  spoor_open_options unset;
  memset(&unset, 0, sizeof unset);
  CHECK(spoor_open(SPOOR_TEXT("x"), &unset, &other) == SPOOR_INVALID);

  CHECK(spoor_close(NULL) == SPOOR_INVALID);
  CHECK(spoor_close((spoor_store *)(void *)&local) == SPOOR_INVALID);
  CHECK(spoor_tip(NULL, SPOOR_TEXT("main"), &id) == SPOOR_INVALID);
  CHECK(spoor_tip(store, SPOOR_TEXT("main"), NULL) == SPOOR_INVALID);
  CHECK(spoor_tip(store, SPOOR_TEXT("main"), &id) == SPOOR_NOT_FOUND);
  CHECK(spoor_resolve(store, SPOOR_TEXT("nosuch"), &id) == SPOOR_NOT_FOUND);
  CHECK(spoor_content(store, NULL, &bytes) == SPOOR_INVALID);
  memset(&id, 7, sizeof id);
  CHECK(spoor_content(store, &id, &bytes) == SPOOR_NOT_FOUND);
  CHECK(spoor_compile(store, SPOOR_TEXT("main"), NULL, &bytes) == SPOOR_NOT_FOUND);

  CHECK(spoor_append(store, SPOOR_TEXT("main"), NULL, NULL) == SPOOR_INVALID);
  CHECK(spoor_append_many(store, SPOOR_TEXT("main"), NULL, 0, NULL) == SPOOR_OK);
  CHECK(spoor_append(store, SPOOR_TEXT("a..b"), &turn, NULL) == SPOOR_INVALID);
  turn.type = SPOOR_TEXT("robot");
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_INVALID);
  turn.type = SPOOR_TEXT("assistant");
  turn.tool_calls = SPOOR_TEXT("{");
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_INVALID);
  turn.tool_calls = SPOOR_TEXT("");
  turn.metadata = SPOOR_TEXT("[]");
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_INVALID);
  turn = turn_of("user", "hi");
  turn.size = 0;
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_INVALID);
  turn.size = sizeof turn;

  CHECK(call(store, "not json", &bytes) == SPOOR_INVALID);
  CHECK(call(store, "[]", &bytes) == SPOOR_INVALID);
  CHECK(call(store, "{\"op\":\"nosuch\"}", &bytes) == SPOOR_INVALID);
  CHECK(spoor_call(store, NULL, 3, &bytes) == SPOOR_INVALID);
  CHECK(call(store, "{\"op\":\"logg\"}", &bytes) == SPOOR_INVALID);
  spoor_last_error(&error);
  CHECK(is(error.hint, "did you mean 'log'?"));

  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, &id) == SPOOR_OK);
  CHECK(spoor_compile(store, SPOOR_TEXT("main"),
                      &(spoor_compile_options){sizeof(spoor_compile_options),
                                               SPOOR_TEXT("latin"), 0, 0, 0, 0},
                      &bytes) == SPOOR_INVALID);
  CHECK(spoor_log_open(store, SPOOR_TEXT("main"), &log) == SPOOR_OK);
  CHECK(spoor_log_next(log, NULL) == SPOOR_INVALID);
  CHECK(spoor_close((spoor_store *)(void *)log) == SPOOR_INVALID); /* another kind */
  CHECK(spoor_watch_open(store, SPOOR_TEXT("main"), &watching) == SPOOR_OK);
  CHECK(spoor_begin(store, &transaction) == SPOOR_OK);
  CHECK(spoor_add(transaction, SPOOR_TEXT("main"), NULL) == SPOOR_INVALID);
  CHECK(spoor_add(transaction, SPOOR_TEXT("main"), &turn) == SPOOR_OK);

  /* A closed store takes all with it. */
  CHECK(spoor_close(store) == SPOOR_OK);
  CHECK(spoor_close(store) == SPOOR_INVALID);
  CHECK(last_code() == SPOOR_INVALID);
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_INVALID);
  CHECK(spoor_log_next(log, &entry) == SPOOR_INVALID);
  CHECK(spoor_log_close(log) == SPOOR_INVALID);
  CHECK(spoor_watch_next(watching, -1, &bytes) == SPOOR_INVALID);
  CHECK(spoor_commit(transaction, NULL, 0) == SPOOR_INVALID);
  CHECK(spoor_add(transaction, SPOOR_TEXT("main"), &turn) == SPOOR_INVALID);
  spoor_free(NULL);
  CHECK(strcmp(spoor_code_name(SPOOR_NOT_FOUND), "not_found") == 0);
  CHECK(strcmp(spoor_code_name(99), "unknown") == 0);
  CHECK(strchr(spoor_version(), '.') != NULL);
}

static int32_t scrubbed(void *context, spoor_str slot, spoor_str text, spoor_reply *reply) {
  (void)context;
  if (slot.size == 4 && memcmp(slot.data, "text", 4) == 0) return spoor_give(reply, "***", 3);
  return spoor_give(reply, text.data, text.size);
}

/* A store that asks for less than full texts is read, and written only through a scrubber. */
static void reduced_capture(const char *program) {
  char command[16384], path[5000];
  spoor_store_functions of_store = {.size = sizeof of_store};
  spoor_store *store = NULL;
  spoor_turn turn = turn_of("user", "a secret");
  spoor_buffer bytes;
  snprintf(path, sizeof path, "%s/redacted.spoor", folder);
  snprintf(command, sizeof command,
           "HOME=%s XDG_DATA_HOME=%s/data '%s' --store '%s' init --capture redacted >/dev/null 2>&1",
           folder, folder, program, path);
  if (system(command) != 0) {
    CHECK(!"spoor init");
    return;
  }
  CHECK(spoor_open(str(path), NULL, &store) == SPOOR_OK);
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_DENIED);
  CHECK(call(store, "{\"op\":\"user\",\"text\":\"a secret\"}", &bytes) == SPOOR_DENIED);
  CHECK(call(store, "{\"op\":\"refs\"}", &bytes) == SPOOR_OK);
  spoor_free(bytes.data);
  CHECK(spoor_close(store) == SPOOR_OK);
  of_store.scrub = scrubbed;
  CHECK(spoor_open_with(str(path), NULL, &of_store, &store) == SPOOR_OK);
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_OK);
  CHECK(spoor_close(store) == SPOOR_OK);
  /* Another process asks for less, and for all again, while the store is open. */
  CHECK(spoor_open(str(path), NULL, &store) == SPOOR_OK);
  const char *const asked[] = {"full", "redacted", "full"};
  for (int i = 0; i < 3; ++i) {
    snprintf(command, sizeof command, "HOME=%s XDG_DATA_HOME=%s/data '%s' --store '%s' config capture %s >/dev/null 2>&1",
             folder, folder, program, path, asked[i]);
    CHECK(system(command) == 0);
    CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == (i == 1 ? SPOOR_DENIED : SPOOR_OK));
  }
  CHECK(spoor_close(store) == SPOOR_OK);
}

/* The program writes a store that was made here; where no list can be kept, it is made all the same. */
static void trusted_by_the_program(const char *program) {
  char command[16384], path[5000];
  spoor_open_options options = {.size = sizeof options};
  spoor_store *store = NULL;
  options.create = 1;
  for (int is_listed = 1; is_listed >= 0; --is_listed) {
    snprintf(path, sizeof path, "%s/%s.spoor", folder, is_listed ? "listed" : "unlisted");
    if (!is_listed) setenv("XDG_DATA_HOME", "/proc/none", 1);
    CHECK(spoor_open(str(path), &options, &store) == SPOOR_OK);
    CHECK(spoor_close(store) == SPOOR_OK);
    setenv("XDG_DATA_HOME", folder, 1);
    snprintf(command, sizeof command, "'%s' --store '%s' user hello >/dev/null 2>&1", program, path);
    CHECK((system(command) == 0) == is_listed);
  }
}

/* ---- Functions of the program ---- */

static int sent, added;

static void give(spoor_reply *reply, const char *text) { spoor_give(reply, text, strlen(text)); }

static int32_t send_request(void *context, spoor_str url, spoor_str body, spoor_reply *reply) {
  CHECK(context == &sent);
  CHECK(url.size > 8 && memcmp(url.data, "https://", 8) == 0);
  CHECK(body.size > 2 && body.data[0] == '{');
  if (sent++ == 0) {
    give(reply, "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c1\","
                "\"type\":\"function\",\"function\":{\"name\":\"add\",\"arguments\":\"{\\\"a\\\": 40}\"}}]}}]}");
  } else {
    give(reply, "{\"choices\":[{\"message\":{\"role\":\"assistant\",");
    give(reply, "\"content\":\"42\"}}]}");
  }
  return 200;
}

static int32_t call_tool(void *context, spoor_str tool, spoor_str arguments, spoor_reply *reply) {
  CHECK(context == &sent);
  CHECK(tool.size == 3 && memcmp(tool.data, "add", 3) == 0);
  CHECK(arguments.size == 8 && memcmp(arguments.data, "{\"a\":40}", 8) == 0);
  ++added;
  give(reply, "42");
  return 0;
}

static int32_t no_more(void *context, spoor_str event, spoor_str text) {
  (void)context, (void)text;
  return event.size == 6 && memcmp(event.data, "asking", 6) == 0;
}

static atomic_int looked;

static int32_t is_stopped(void *context) {
  CHECK(context == &sent);
  ++looked;
  return 1;
}

/* Asks for a call for ever, but only once the library asked whether the run is stopped. */
static int32_t send_late(void *context, spoor_str url, spoor_str body, spoor_reply *reply) {
  for (int i = 0; i < 500 && looked == 0; ++i) usleep(10000);
  sent = 0;
  return send_request(context, url, body, reply);
}

static int64_t new_year(void *context) {
  (void)context;
  return 1893456000000000;
}

static int32_t without_text(void *context, spoor_str slot, spoor_str text, spoor_reply *reply) {
  (void)context;
  if (slot.size == 4 && memcmp(slot.data, "text", 4) == 0) return text.size == 6;
  return spoor_give(reply, text.data, text.size);
}

static void call_back(void) {
  static const char options[] =
      "{\"goal\":\"add\",\"model\":\"deepseek/deepseek-chat\",\"tools\":[{\"id\":\"add\",\"description\":\"Adds.\","
      "\"parameters\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}}]}";
  spoor_store_functions of_store = {.size = sizeof of_store};
  spoor_run_functions of_run = {.size = sizeof of_run};
  spoor_open_options open = {.size = sizeof open};
  spoor_turn turn = turn_of("user", "hello!");
  spoor_store *store = NULL;
  spoor_log *log;
  spoor_entry entry;
  spoor_buffer result;
  char path[5000];
  open.create = 1;
  of_store.now = new_year;
  snprintf(path, sizeof path, "%s/called_back.spoor", folder);
  CHECK(spoor_open_with(str(path), &open, &of_store, &store) == SPOOR_OK);
  of_run.context = &sent;
  of_run.send = send_request;
  CHECK(spoor_run(store, options, sizeof options - 1, &of_run, &result) == SPOOR_INVALID);
  of_run.call_tool = call_tool;
  CHECK(spoor_run(store, options, sizeof options - 1, &of_run, &result) == SPOOR_OK);
  CHECK(strstr(result.data, "\"stopped\":\"goal_achieved\"") != NULL);
  CHECK(strstr(result.data, "\"answer\":\"42\"") != NULL);
  CHECK(sent == 2 && added == 1);
  spoor_free(result.data);
  CHECK(spoor_log_open(store, SPOOR_TEXT("main"), &log) == SPOOR_OK);
  CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
  CHECK(entry.time == 1893456000000000);
  CHECK(spoor_log_close(log) == SPOOR_OK);
  of_run.event = no_more;
  CHECK(spoor_run(store, options, sizeof options - 1, &of_run, &result) == SPOOR_OK);
  CHECK(strstr(result.data, "\"stopped\":\"interrupted\"") != NULL);
  CHECK(sent == 2);
  spoor_free(result.data);
  of_run.event = NULL;
  of_run.send = send_late;
  of_run.is_stopped = is_stopped;
  CHECK(spoor_run(store, options, sizeof options - 1, &of_run, &result) == SPOOR_OK);
  CHECK(strstr(result.data, "\"stopped\":\"interrupted\"") != NULL);
  CHECK(looked == 1);
  spoor_free(result.data);
  CHECK(spoor_run(store, "[]", 2, &of_run, &result) == SPOOR_INVALID);
  CHECK(spoor_run(store, "{\"goal\":1}", 10, &of_run, &result) == SPOOR_INVALID);
  CHECK(spoor_give(NULL, "x", 1) == SPOOR_INVALID);
  CHECK(spoor_close(store) == SPOOR_OK);

  of_store.scrub = without_text;
  CHECK(spoor_open_with(str(path), NULL, &of_store, &store) == SPOOR_OK);
  CHECK(spoor_append(store, SPOOR_TEXT("clean"), &turn, NULL) == SPOOR_DENIED);
  turn = turn_of("user", "hello");
  CHECK(spoor_append(store, SPOOR_TEXT("clean"), &turn, NULL) == SPOOR_OK);
  CHECK(spoor_log_open(store, SPOOR_TEXT("clean"), &log) == SPOOR_OK);
  CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
  CHECK(entry.text.size == 0);
  CHECK(spoor_close(store) == SPOOR_OK);
}

/* ---- fork() ---- */

/* The child of a process with threads may not allocate under the sanitizers: their lock may be taken. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FORKS_ALONE
#endif
#endif

static void *append_on(void *store) {
  spoor_turn turn = turn_of("user", "in between");
  for (int i = 0; i < 200; ++i) spoor_append(store, SPOOR_TEXT("busy"), &turn, NULL);
  return NULL;
}

static void in_child(spoor_store *store) {
  char path[5000];
  spoor_turn turn = turn_of("user", "from the child");
  spoor_store *again = NULL;
  spoor_id id;
  failures = 0;
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_UNAVAILABLE);
  CHECK(spoor_tip(store, SPOOR_TEXT("main"), &id) == SPOOR_UNAVAILABLE);
  CHECK(spoor_close(store) == SPOOR_UNAVAILABLE);
  snprintf(path, sizeof path, "%s/fork.spoor", folder);
  CHECK(spoor_open(str(path), NULL, &again) == SPOOR_UNAVAILABLE);
  again = opened("child.spoor");
  CHECK(spoor_append(again, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_OK);
  CHECK(spoor_close(again) == SPOOR_OK);
  _exit(failures);
}

static void fork_while_busy(void) {
  spoor_store *store = opened("fork.spoor");
  spoor_turn turn = turn_of("user", "from the parent");
  pthread_t thread;
  pthread_create(&thread, NULL, append_on, store);
#ifdef FORKS_ALONE
  pthread_join(thread, NULL);
#endif
  for (int i = 0; i < 10; ++i) {
    int status = -1;
    usleep(2000);
    const pid_t child = fork();
    if (child == 0) in_child(store);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
#ifndef FORKS_ALONE
  pthread_join(thread, NULL);
#endif
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_OK);
  spoor_buffer report;
  CHECK(call(store, "{\"op\":\"fsck\"}", &report) == SPOOR_OK);
  CHECK(strncmp(report.data, "{\"sound\":true", 13) == 0);
  spoor_free(report.data);
  CHECK(spoor_close(store) == SPOOR_OK);
}

/* ---- Threads ---- */

enum { kThreads = 8, kRounds = 50 };

static void *work(void *argument) {
  spoor_store *store = argument;
  for (int i = 0; i < kRounds; ++i) {
    spoor_turn turn = turn_of("user", "of one of eight threads");
    spoor_buffer bytes;
    spoor_log *log;
    spoor_entry entry;
    spoor_id id;
    CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, &id) == SPOOR_OK);
    CHECK(spoor_tip(store, SPOOR_TEXT("main"), &id) == SPOOR_OK);
    CHECK(spoor_compile(store, SPOOR_TEXT("main"), NULL, &bytes) == SPOOR_OK);
    spoor_free(bytes.data);
    CHECK(call(store, "{\"op\":\"log\",\"rev\":\"main\",\"limit\":2}", &bytes) == SPOOR_OK);
    spoor_free(bytes.data);
    CHECK(spoor_log_open(store, SPOOR_TEXT("main"), &log) == SPOOR_OK);
    CHECK(spoor_log_next(log, &entry) == SPOOR_OK);
    CHECK(spoor_log_close(log) == SPOOR_OK);
    CHECK(spoor_resolve(store, SPOOR_TEXT("nosuch"), &id) == SPOOR_NOT_FOUND);
    CHECK(last_code() == SPOOR_NOT_FOUND);
  }
  return NULL;
}

static void threads(void) {
  spoor_store *store = opened("threads.spoor");
  pthread_t all[kThreads];
  spoor_log *log;
  spoor_entry entry;
  int turns = 0;
  for (int i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, work, store);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
  CHECK(spoor_log_open(store, SPOOR_TEXT("main"), &log) == SPOOR_OK);
  while (spoor_log_next(log, &entry) == SPOOR_OK) ++turns;
  CHECK(turns == kThreads * kRounds);
  CHECK(spoor_close(store) == SPOOR_OK);
}

/* Closes a store under threads that use it: each call succeeds or is told so. */
static void *use_until_closed(void *store) {
  spoor_turn turn = turn_of("user", "x");
  int code = SPOOR_OK;
  while (code == SPOOR_OK) code = spoor_append(store, SPOOR_TEXT("main"), &turn, NULL);
  CHECK(code == SPOOR_INVALID);
  return NULL;
}

static void close_under_threads(void) {
  spoor_store *store = opened("closing.spoor");
  pthread_t all[4];
  for (int i = 0; i < 4; ++i) pthread_create(&all[i], NULL, use_until_closed, store);
  usleep(50000);
  CHECK(spoor_close(store) == SPOOR_OK);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
}

/* Ends a thread within a function that the store calls, as Python ends threads that run at its end. */
static pthread_t ended;

static int64_t end_here(void *context) {
  (void)context;
  if (pthread_equal(pthread_self(), ended)) pthread_exit(&ended);
  return 1700000000000000;
}

static void *append_and_end(void *store) {
  spoor_turn turn = turn_of("user", "x");
  ended = pthread_self();
  spoor_append(store, SPOOR_TEXT("main"), &turn, NULL);
  return NULL; /* Never: end_here() ends the thread. */
}

static void end_thread_in_callback(void) {
  char path[5000];
  spoor_store *store = NULL;
  spoor_open_options options = {sizeof options, SPOOR_TEXT("ada"), 1, 0, 1};
  spoor_store_functions functions = {sizeof functions, NULL, end_here, NULL};
  spoor_turn turn = turn_of("user", "y");
  pthread_t thread;
  void *how = NULL;
  snprintf(path, sizeof path, "%s/ended.spoor", folder);
  CHECK(spoor_open_with(str(path), &options, &functions, &store) == SPOOR_OK);
  pthread_create(&thread, NULL, append_and_end, store);
  pthread_join(thread, &how);
  CHECK(how == &ended);
  CHECK(spoor_append(store, SPOOR_TEXT("main"), &turn, NULL) == SPOOR_OK);
  CHECK(spoor_close(store) == SPOOR_OK);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  snprintf(folder, sizeof folder, "%s", arguments[1]);
  setenv("XDG_DATA_HOME", folder, 1);
  append_and_read();
  transact();
  record();
  watch();
  misuse();
  reduced_capture(arguments[2]);
  trusted_by_the_program(arguments[2]);
  call_back();
  fork_while_busy();
  threads();
  close_under_threads();
  end_thread_in_callback();
  if (failures == 0) puts("all held");
  return failures == 0 ? 0 : 1;
}
