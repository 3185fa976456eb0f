/** A value of a run: short ones at once, large ones when they are asked for. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { JsonValue } from '../../../src/util/json.ts';
import { Dialog, DialogHead } from '../app/dialog.tsx';
import { Failed, Loading } from '../app/states.tsx';
import { ask } from '../wire/request.ts';
import { sizeText } from '../words/count-text.ts';
import { ForeignLines } from '../words/foreign.tsx';
import { bodyIn } from './json-text.ts';
import { JsonView } from './json-view.tsx';

export interface ValueViewProps {
  readonly label: string;
  readonly value: JsonValue;
  readonly mostRows?: number;
  readonly depth?: number;
}

type Opened =
  | { readonly kind: 'body'; readonly hash: string; readonly sizeBytes: number }
  | { readonly kind: 'text'; readonly text: string };

/** A text is shown as text, everything else as a tree. */
export function ValueView({ label, value, mostRows = 14, depth = 2 }: ValueViewProps): React.ReactNode {
  const bytes = useMemo(() => new TextEncoder().encode(JSON.stringify(value)), [value]);
  const [opened, setOpened] = useState<Opened>();
  // The tree shows what is in a value; this one is elsewhere as a whole.
  const body = bodyIn(value);
  return (
    <>
      {body !== undefined ? (
        <div className="json">
          <button type="button" className="json-chip" onClick={() => setOpened({ kind: 'body', ...body })}>
            large value, {sizeText(body.sizeBytes)}: open
          </button>
        </div>
      ) : typeof value === 'string' ? (
        <TextView text={value} />
      ) : (
        <JsonView
          key={label}
          label={label}
          bytes={bytes}
          mostRows={mostRows}
          depth={depth}
          onBody={(hash, sizeBytes) => setOpened({ kind: 'body', hash, sizeBytes })}
          onText={(text) => setOpened({ kind: 'text', text })}
        />
      )}
      {opened === undefined ? undefined : (
        <OpenedDialog label={label} opened={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}

/** Characters of a text that are shown at first. */
const firstChars = 4_000;

export function TextView({ text }: { readonly text: string }): React.ReactNode {
  const [most, setMost] = useState(firstChars);
  return (
    <div className="text-view">
      <ForeignLines text={text.slice(0, most)} />
      {text.length > most ? (
        <button type="button" className="button small" onClick={() => setMost(most * 10)}>
          More of it ({sizeText(text.length - most)} left)
        </button>
      ) : undefined}
    </div>
  );
}

interface OpenedDialogProps {
  readonly label: string;
  readonly opened: Opened;
  readonly onClose: () => void;
}

function OpenedDialog({ label, opened, onClose }: OpenedDialogProps): React.ReactNode {
  return (
    <Dialog label={label} className="wide" onClose={onClose}>
      <DialogHead title={label} onClose={onClose} />
      <div className="dialog-body">
        {opened.kind === 'text' ? <TextView text={opened.text} /> : <BodyView label={label} hash={opened.hash} />}
      </div>
    </Dialog>
  );
}

/** A large value by its hash. What a hash names never changes, so it is asked for once. */
export function BodyView({ label, hash }: { readonly label: string; readonly hash: string }): React.ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: ['body', hash],
    queryFn: async ({ signal }) =>
      new Uint8Array(await (await ask(`/v1/bodies/${encodeURIComponent(hash)}`, { signal })).arrayBuffer()),
    staleTime: Number.POSITIVE_INFINITY,
    // Twenty megabytes are not kept for somebody who may come back.
    gcTime: 10_000,
  });
  const [text, setText] = useState<string>();
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading what="the value" />;
  if (text !== undefined) {
    return (
      <>
        <button type="button" className="button small" onClick={() => setText(undefined)}>
          Back to the whole
        </button>
        <TextView text={text} />
      </>
    );
  }
  return <JsonView label={label} bytes={data} onText={setText} />;
}
