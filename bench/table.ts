/** The figures for people. */
import type { Figure } from './figures.ts';

export function tableOf(figures: readonly Figure[]): string {
  const rows = [['figure', 'median', 'low', 'high', 'unit', 'bar', ''], ...figures.map(rowOf)];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  // Numbers stand to the right, words to the left.
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column >= 1 && column <= 3 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function rowOf(figure: Figure): readonly string[] {
  return [
    figure.name,
    shown(figure.value),
    shown(figure.low),
    shown(figure.high),
    figure.unit,
    figure.bar ?? '',
    verdictOf(figure),
  ];
}

function verdictOf({ ok, bar, reason }: Figure): string {
  if (bar === null) return '';
  return ok === null ? (reason ?? 'not judged') : ok ? 'ok' : 'MISSED';
}

function shown(value: number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (Math.abs(value) >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return value.toPrecision(3);
}
