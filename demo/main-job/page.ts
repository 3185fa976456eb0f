/**
 * The page on which a person watches the job and answers: the web debugger, served by the parent of the demo.
 *
 * P1 It is a client of the store, in the one process that no kill meets: it shows the gap in which nobody drives the run.
 * P2 The job needs no page: whatever stands in its way is told in a line, and the job goes on in the terminal.
 */
import process from 'node:process';
import { builtPage } from '../../scripts/built-page.ts';
import { type Axle, isAxleError } from '../../src/axle.ts';
import { openInBrowser } from '../../src/cli/serve/open-in-browser.ts';
import { messageOf } from '../../src/error/axle-error.ts';
import { createServer } from '../../src/http.ts';
import { hasDesktop } from './desktop.ts';

export interface PageOptions {
  /** The port that was asked for. Without it, that of `axle dev`, or a free one where that is taken. */
  readonly port: number | undefined;
  /** Somebody sits at this terminal and did not say `--no-open`: a browser is opened where there is a desktop. */
  readonly mayOpen: boolean;
  /** Tells a line. */
  readonly say: (line: string) => void;
}

/** The page while it is served. */
export interface ServedPage {
  /** Where the run is shown. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Builds the page where it is not built yet. Resolves with undefined when it cannot be built. (P2) */
export async function preparePage(say: PageOptions['say']): Promise<string | undefined> {
  try {
    return await builtPage(() => say("Building the debugger's page, once, which takes a few seconds."));
  } catch (error) {
    say(`The page could not be built, so the job is shown here alone: ${firstLine(messageOf(error))}`);
    return undefined;
  }
}

/** Serves a run in the page of a folder. Resolves with undefined when there is no port for it. (P2) */
export async function servePage(
  { axle, runId, folder }: { readonly axle: Axle; readonly runId: string; readonly folder: string },
  { port, mayOpen, say }: PageOptions,
): Promise<ServedPage | undefined> {
  const server = createServer({ axle, page: folder });
  let url: string;
  try {
    ({ url } = await server.listen(port === undefined ? {} : { port }).catch(async (error: unknown) => {
      if (port !== undefined || !isAxleError(error, 'listen-failed')) throw error;
      return server.listen({ port: 0 });
    }));
  } catch (error) {
    await server.close();
    say(`There is no page: ${firstLine(messageOf(error))} Choose another port with --port.`);
    return undefined;
  }
  const address = `${url}/runs/${runId}`;
  say(`Watch it, and answer, in the browser: ${address}`);
  if (mayOpen && hasDesktop({ platform: process.platform, environment: process.env })) openInBrowser(address, say);
  return { address, close: () => server.close() };
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
