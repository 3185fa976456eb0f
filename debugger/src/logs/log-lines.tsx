/** What tools and the runtime logged about a run, as far as the process that serves it remembers. */
import './logs.css';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { LogAnswer, LogLine } from '../../../src/server/wire.ts';
import { runPath } from '../app/queries.ts';
import { Failed, Loading } from '../app/states.tsx';
import { askJson } from '../wire/request.ts';
import { lineOf } from '../words/foreign.tsx';
import { clockText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export interface LogLinesProps {
  readonly runId: string;
  /** Only lines about this call. */
  readonly callId?: string | undefined;
  readonly isLive: boolean;
}

const liveMs = 2_000;
const levels = ['debug', 'info', 'warn', 'error'] as const;

export function LogLines({ runId, callId, isLive }: LogLinesProps): React.ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['logs', runId],
    queryFn: ({ signal }) => askJson<LogAnswer>(`${runPath(runId, 'logs')}?limit=2000`, { signal }),
    refetchInterval: isLive ? liveMs : false,
  });
  const [least, setLeast] = useState<(typeof levels)[number]>('debug');
  const [text, setText] = useState('');
  const lines = useMemo(
    () =>
      (data?.items ?? []).filter(
        (line) =>
          (callId === undefined || line.fields['callId'] === callId) &&
          levels.indexOf(line.level) >= levels.indexOf(least) &&
          (text === '' || `${line.message} ${JSON.stringify(line.fields)}`.toLowerCase().includes(text.toLowerCase())),
      ),
    [data, callId, least, text],
  );
  if (data === undefined) {
    return error === null ? <Loading what="the log" /> : <Failed error={error} onRetry={() => void refetch()} />;
  }
  return (
    <div className="logs">
      <div className="logs-tools">
        <label className="unseen" htmlFor="log-level">
          Least level
        </label>
        <select
          id="log-level"
          className="bar-select"
          value={least}
          onChange={({ target }) => setLeast(levels.find((each) => each === target.value) ?? 'debug')}
        >
          {levels.map((level) => (
            <option key={level} value={level}>
              {level} and worse
            </option>
          ))}
        </select>
        <input
          type="search"
          className="field"
          aria-label="Find in the log"
          placeholder="Find in the log …"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {data.lost > 0 ? <p className="faint">{data.lost} earlier lines had to make room.</p> : undefined}
      {lines.length === 0 ? (
        <p className="faint">
          {data.items.length === 0
            ? 'Nothing was logged, or another process drove the run: lines are kept in the memory of the process that wrote them, and not in the journal.'
            : 'No line fits.'}
        </p>
      ) : (
        <ol className="log-lines">
          {lines.map((line) => (
            <Line key={line.number} line={line} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Line({ line }: { readonly line: LogLine }): React.ReactNode {
  const { atMs, level, message, fields } = line;
  const tone = level === 'error' ? 'tone-bad' : level === 'warn' ? 'tone-warn' : 'faint';
  return (
    <li className="log-line">
      <Moment className="faint figure" atMs={atMs}>
        {clockText(atMs)}
      </Moment>
      <span className={tone}>{level}</span>
      <span className="log-words">
        <bdi>{lineOf(message, 2_000)}</bdi>{' '}
        {Object.entries(fields).map(([name, value]) => (
          <span key={name} className="log-field">
            <span className="faint">{lineOf(name, 40)}=</span>
            {lineOf(typeof value === 'string' ? value : JSON.stringify(value), 200)}{' '}
          </span>
        ))}
      </span>
    </li>
  );
}
