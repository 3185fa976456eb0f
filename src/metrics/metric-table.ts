/** Every metric that Axle has. `docs/metrics.md` lists them, and a test holds the two, the dashboard and the alert rules together. */
import { counter, type Declared, gauge, histogram } from './declare.ts';

const seconds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300] as const;
const shortSeconds = [0.0001, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 5, 10] as const;
const longSeconds = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400] as const;

export const metricTable = {
  axle_build_info: gauge('1, with the versions of Axle and Node as labels.', 'version', 'node'),
  axle_runs_total: counter('Runs that ended in this process.', 'kind', 'outcome'),
  axle_run_duration_seconds: histogram('From the acceptance of a run to its end.', longSeconds, 'kind'),
  axle_runs_in_hand: gauge('Runs that this process drives now.'),
  axle_runs: gauge('Runs of the store that have not ended, by where they stand.', 'state'),
  axle_steps_total: counter('Model calls begun, repeats of one not counted.'),
  axle_model_calls_total: counter('Attempts of model calls.', 'model', 'outcome'),
  axle_model_call_duration_seconds: histogram('How long attempts of model calls took.', seconds, 'model'),
  axle_model_time_to_first_chunk_seconds: histogram(
    'From the start of a model call to the first piece of its answer.',
    seconds,
    'model',
  ),
  axle_tokens_total: counter(
    'Tokens as providers counted them; cache is hit or miss for input, none for output.',
    'model',
    'direction',
    'cache',
  ),
  axle_tool_calls_total: counter('Calls that have their outcome.', 'tool', 'outcome', 'error_class'),
  axle_tool_call_duration_seconds: histogram(
    'From binding a call to its outcome, waits included.',
    longSeconds,
    'tool',
  ),
  axle_tool_attempts_total: counter('Attempts of calls.', 'tool', 'outcome'),
  axle_tool_attempt_duration_seconds: histogram('How long attempts of calls took.', seconds, 'tool'),
  axle_tool_repairs_total: counter('Repairs of arguments, by their rule.', 'kind'),
  axle_tool_refusals_total: counter('Intents that could not become calls, by code.', 'code'),
  axle_tool_cache_hits_total: counter('Calls that a kept result answered.', 'tool'),
  axle_tool_fallbacks_total: counter('Calls that another tool took over, by the tool that did.', 'tool'),
  axle_tool_drifts_total: counter('Answers in another form than declared.', 'tool'),
  axle_policy_decisions_total: counter('Decisions about calls.', 'decision'),
  axle_approvals_pending: gauge('Calls of the store that wait for an approval.'),
  axle_approval_wait_seconds: histogram('From asking a person to the answer.', longSeconds, 'verdict'),
  axle_authorizations_pending: gauge('Calls of the store that wait for a login or a permission.'),
  axle_in_doubt_calls: gauge('Calls of the store that are in doubt and wait for a person.'),
  axle_doubts_total: counter('Calls that came into doubt.', 'reason'),
  axle_breaker_state: gauge('State of a breaker: 0 closed, 1 half-open, 2 open.', 'upstream'),
  axle_breaker_transitions_total: counter('Changes of breakers, also by people.', 'upstream', 'to'),
  axle_rate_limit_wait_seconds: histogram('How long admitted calls waited for their upstream.', seconds, 'upstream'),
  axle_admissions_refused_total: counter('Attempts that an upstream did not let begin, by code.', 'upstream', 'code'),
  axle_queue_depth: gauge('Calls that wait for an upstream now.', 'upstream'),
  axle_resume_total: counter(
    'Runs that were taken over from an earlier driver (resumed) or could not go on (held).',
    'result',
  ),
  axle_entries_total: counter('Entries committed by this process.'),
  axle_appends_total: counter('Appends committed by this process.'),
  axle_checkpoint_duration_seconds: histogram(
    'How long the store took to commit (stage commit) and until it was on the disk (stage sync), where that was waited for.',
    shortSeconds,
    'stage',
  ),
  axle_store_errors_total: counter('What the store could not do, by operation and code.', 'operation', 'code'),
  axle_observer_errors_total: counter(
    'Runs whose history, or gauges whose store, could not be read for these metrics.',
  ),
  process_start_time_seconds: gauge('Start of the process, in seconds since 1970.'),
  process_resident_memory_bytes: gauge('Memory of the process.'),
  process_cpu_seconds_total: counter('Time of the processor that the process used.'),
} as const satisfies Readonly<Record<string, Declared>>;

export type MetricName = keyof typeof metricTable;
