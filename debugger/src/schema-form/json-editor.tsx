/** A value that a person writes: a field for each member where the schema is plain, JSON otherwise. */
import { useState } from 'react';
import { isJsonObject, type JsonValue } from '../../../src/util/json.ts';
import { fieldsOf, type PlainField, readField, writeField } from './plain-fields.ts';

export interface JsonEditorProps {
  readonly label: string;
  readonly value: JsonValue;
  readonly schema: JsonValue | undefined;
  /** Undefined while what is written is no value. */
  readonly onChange: (value: JsonValue | undefined) => void;
}

export function JsonEditor(props: JsonEditorProps): React.ReactNode {
  const fields = fieldsOf(props.schema);
  const [isJson, setJson] = useState(fields === undefined);
  return (
    <div className="editor">
      {fields === undefined ? undefined : (
        <div className="editor-forms">
          <button type="button" className="chip" aria-pressed={!isJson} onClick={() => setJson(false)}>
            Form
          </button>
          <button type="button" className="chip" aria-pressed={isJson} onClick={() => setJson(true)}>
            JSON
          </button>
        </div>
      )}
      {isJson || fields === undefined ? <JsonField {...props} /> : <Fields {...props} fields={fields} />}
    </div>
  );
}

function JsonField({ label, value, onChange }: JsonEditorProps): React.ReactNode {
  const [text, setText] = useState(() => JSON.stringify(value, undefined, 2));
  const [fault, setFault] = useState<string>();
  return (
    <>
      <textarea
        className="field mono"
        aria-label={`${label} as JSON`}
        aria-invalid={fault !== undefined}
        rows={Math.min(18, text.split('\n').length + 1)}
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const read = parsed(target.value);
          setFault(read.fault);
          onChange(read.value);
        }}
      />
      {fault === undefined ? undefined : (
        <p className="tone-bad" role="status">
          {fault}
        </p>
      )}
    </>
  );
}

function parsed(text: string): { readonly value?: JsonValue; readonly fault?: string } {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse gives is a JSON value.
    return { value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}

function Fields({
  value,
  fields,
  onChange,
}: JsonEditorProps & { readonly fields: readonly PlainField[] }): React.ReactNode {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, writeField(memberOf(value, field.name))])),
  );
  const change = (name: string, text: string): void => {
    const next = { ...texts, [name]: text };
    setTexts(next);
    const read = fields.map((field) => [field.name, readField(field, next[field.name] ?? '')] as const);
    if (read.some(([, each]) => each.kind === 'invalid')) {
      onChange(undefined);
      return;
    }
    const kept = isJsonObject(value) ? value : {};
    const written = read.flatMap(([member, each]) => (each.kind === 'value' ? [[member, each.value] as const] : []));
    const names = new Set(fields.map((field) => field.name));
    const others = Object.entries(kept).filter(([member]) => !names.has(member));
    onChange(Object.fromEntries([...written, ...others]));
  };
  return (
    <div className="editor-fields">
      {fields.map((field) => {
        const text = texts[field.name] ?? '';
        const read = readField(field, text);
        return (
          <label key={field.name} className="editor-field">
            <span>
              <code>{field.name}</code>
              {field.isRequired ? undefined : <span className="faint"> optional</span>}
              {field.about === undefined ? undefined : <span className="faint"> {field.about}</span>}
            </span>
            <Control
              field={field}
              text={text}
              isInvalid={read.kind === 'invalid'}
              onChange={(next) => change(field.name, next)}
            />
            {read.kind === 'invalid' ? <span className="tone-bad">{read.message}</span> : undefined}
          </label>
        );
      })}
    </div>
  );
}

interface ControlProps {
  readonly field: PlainField;
  readonly text: string;
  readonly isInvalid: boolean;
  readonly onChange: (text: string) => void;
}

function Control({ field, text, isInvalid, onChange }: ControlProps): React.ReactNode {
  if (field.choices !== undefined) {
    return (
      <select className="field" value={text} onChange={({ target }) => onChange(target.value)}>
        {field.isRequired ? undefined : <option value="">(none)</option>}
        {field.choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  if (field.type === 'string' && (text.length > 80 || text.includes('\n'))) {
    return (
      <textarea
        className="field"
        rows={4}
        value={text}
        aria-invalid={isInvalid}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  }
  return (
    <input
      className="field"
      type="text"
      inputMode={field.type === 'string' ? 'text' : 'decimal'}
      value={text}
      aria-invalid={isInvalid}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
