/** Shows an address in the browser of whoever sits here. */
import { spawn } from 'node:child_process';
import process from 'node:process';

/** Whether it opened is for the person to see: what cannot be started is told, and nothing else. */
export function openInBrowser(address: string, note: (line: string) => void): void {
  const [program, ...words] = openerOf(process.platform);
  const child = spawn(program, [...words, address], { detached: true, stdio: 'ignore' });
  child.on('error', () => note(`No browser could be opened; the page is at ${address}`));
  child.unref();
}

function openerOf(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['explorer'] : ['xdg-open'];
}
