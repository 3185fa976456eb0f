/** The sandbox drivers that every Axle has: those that need neither a daemon nor an image. They hold nothing until a program asks for them. */
import type { SandboxDriver } from '../execute/sandbox/sandbox-driver.ts';
import { bubblewrap } from './bubblewrap/bubblewrap-driver.ts';
import { quickjs } from './quickjs/quickjs-driver.ts';
import { subprocess } from './subprocess/subprocess-driver.ts';

export function defaultSandboxes(): readonly SandboxDriver[] {
  return [subprocess(), quickjs(), bubblewrap()];
}
