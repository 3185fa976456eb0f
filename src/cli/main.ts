#!/usr/bin/env node
/**
 * The command `axle`. Compiled code is kept, so that a command begins two to three times sooner from the second time on; everything else is imported after that is switched on,
 * since what was loaded earlier is not kept.
 *
 * It is kept in the person's own folder and not where Node keeps it by default, in the folder for temporary files: there another user of the machine could lay down code.
 * Where nothing can be kept, all works as without it. `NODE_COMPILE_CACHE` names another folder, and `NODE_DISABLE_COMPILE_CACHE=1` switches it off.
 */
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const { XDG_CACHE_HOME: named = '' } = process.env;
const caches = named === '' ? join(homedir(), '.cache') : named;
enableCompileCache(join(caches, 'axle', 'compiled'));
await import('./process.ts');
