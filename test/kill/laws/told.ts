/** What the harness was told, by processes that may be dead by now. All of it must be true for ever. */
import type { Report } from '../programs/messages.ts';

export interface ToldResult {
  readonly runId: string;
  readonly status: string;
  readonly output: unknown;
}

export interface ToldMessage {
  readonly runId: string;
  readonly text: string;
}

export class Told {
  readonly accepted = new Map<string, string>();
  readonly results: ToldResult[] = [];
  readonly answers: { readonly approvalId: string; readonly verdict: 'approve' | 'deny' }[] = [];
  /** `run/call` of each doubt that was resolved. */
  readonly resolutions: string[] = [];
  readonly cancelled = new Set<string>();
  readonly messages: ToldMessage[] = [];
  /** What no order should have led to, and one key that was told to be two runs. */
  readonly surprises: string[] = [];

  note(report: Report): void {
    switch (report.kind) {
      case 'accepted': {
        const known = this.accepted.get(report.key);
        if (known !== undefined && known !== report.runId) {
          this.surprises.push(`The key ${report.key} was told to be ${known} and then ${report.runId}.`);
        }
        this.accepted.set(report.key, report.runId);
        return;
      }
      case 'result':
        this.results.push({ runId: report.runId, status: report.status, output: report.output });
        return;
      case 'approved':
      case 'denied':
        this.answers.push({ approvalId: report.approvalId, verdict: report.kind === 'denied' ? 'deny' : 'approve' });
        return;
      case 'resolved':
        this.resolutions.push(report.id);
        return;
      case 'cancelled':
        this.cancelled.add(report.runId);
        return;
      case 'sent':
        this.messages.push({ runId: report.runId, text: report.text });
        return;
      case 'refused':
        this.surprises.push(`${report.about} was refused with ${report.code}: ${report.message}`);
        break;
      case 'loaded':
      case 'opened':
      case 'closed':
      case 'listening':
    }
  }
}
