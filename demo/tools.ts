/** The tools of the demo: the weather over HTTP, files through an MCP server, e-mail over SMTP. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Contract } from '../src/contract/contract.ts';
import { mcp } from '../src/mcp.ts';
import { mailTool, type MailService } from './mail-tool.ts';
import { weatherTool } from './weather-tool.ts';

export interface DemoServices extends MailService {
  readonly weatherUrl: string;
  /** Where memos are written; the file server sees nothing else. */
  readonly folder: string;
}

export interface DemoTools {
  /** `get_weather`, `send_email`, and those of the file server, `files.write_file` among them. */
  readonly tools: readonly Contract[];
  /** Ends the file server. */
  close(): Promise<void>;
}

const fileServer = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist/index.js',
);

/** Starts the file server and gives all tools of the demo. */
export async function createDemoTools({ weatherUrl, folder, ...mail }: DemoServices): Promise<DemoTools> {
  const files = mcp({
    name: 'files',
    command: process.execPath,
    args: [fileServer, folder],
    cwd: folder,
    requestTimeout: '15s',
    effects: {
      read_text_file: { effect: 'read' },
      list_directory: { effect: 'read' },
      // The same content under the same path a second time changes nothing more.
      write_file: { effect: 'idempotent', risk: 'low' },
    },
  });
  return { tools: [weatherTool(weatherUrl), mailTool(mail), ...(await files.connect())], close: () => files.close() };
}
