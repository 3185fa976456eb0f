/** The world of the demo, each part a process of its own: it outlives every kill of the worker, and its ledgers tell the truth. */
import type { Crew } from './crew.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Services {
  readonly weatherUrl: string;
  readonly mailUrl: string;
  readonly smtpPort: number;
  /** Where the scripted model is served; empty with a real one. */
  readonly modelUrl: string;
}

export interface ServiceOptions {
  readonly isModelScripted: boolean;
  /** How long the first mail, which has arrived by then, is not acknowledged: the moment for a kill. */
  readonly mailReplyDelayMs: number;
}

/** Starts the services. */
export async function startServices(crew: Crew, folder: WorkFolder, options: ServiceOptions): Promise<Services> {
  const [weather, mail, model] = await Promise.all([
    crew.start('weather-service', ['--ledger', folder.weatherLedger], 'The weather service'),
    crew.start(
      'mail-service',
      ['--ledger', folder.mailLedger, '--reply-delay-ms', String(options.mailReplyDelayMs)],
      'The mail service',
    ),
    options.isModelScripted
      ? crew.start('model-server', ['--ledger', folder.modelLedger], 'The scripted model')
      : undefined,
  ]);
  return {
    weatherUrl: weather.ready.text('url'),
    mailUrl: mail.ready.text('url'),
    smtpPort: mail.ready.number('smtpPort'),
    modelUrl: model?.ready.text('url') ?? '',
  };
}
