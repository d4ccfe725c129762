#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/report.h"

namespace spoor::bench {

/// Median nanoseconds of each Google Benchmark of this run, by name.
using Times = std::map<std::string, double>;

/// Registers what is timed inside the process (timed.cc, …).
void register_commit();
void register_walk();
void register_compile();
void register_fold();
void register_stream();
void register_record();
void register_redact();
void register_check();
void register_receive();

/// The page's rows from those times.
void rows_of_commit(const Times& times, std::vector<Row>& rows);
void rows_of_walk(const Times& times, std::vector<Row>& rows);
void rows_of_compile(const Times& times, std::vector<Row>& rows);
void rows_of_fold(const Times& times, std::vector<Row>& rows);
void rows_of_stream(const Times& times, std::vector<Row>& rows);
void rows_of_record(const Times& times, std::vector<Row>& rows);
void rows_of_redact(const Times& times, std::vector<Row>& rows);
void rows_of_check(const Times& times, std::vector<Row>& rows);
void rows_of_receive(const Times& times, std::vector<Row>& rows);

/// What is counted, or timed as whole processes.
void measure_writes(std::vector<Row>& rows);
void measure_bulk(std::vector<Row>& rows);
void measure_process(std::vector<Row>& rows);
void measure_hook(std::vector<Row>& rows);
void measure_size(std::vector<Row>& rows);
void measure_questions(std::vector<Row>& rows);
void measure_debrief(std::vector<Row>& rows);
void measure_proxy(std::vector<Row>& rows);
void measure_postgres(std::vector<Row>& rows);
void measure_servers(std::vector<Row>& rows);
void measure_capacity(std::vector<Row>& rows);
void measure_agent(std::vector<Row>& rows);

}  // namespace spoor::bench
