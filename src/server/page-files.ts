/**
 * The debugger: static files, served under one policy. Every path that is no file and no part of the API is the page itself, which finds its way by the path.
 *
 * F1 Only files that stood in the folder when it was first asked for are served: no path of a request ever reaches the file system.
 * F2 The page runs no script and asks no address but those of this server, and nothing but its own code makes markup of text.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxleError } from '../error/axle-error.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
};

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types axle',
].join('; ');

interface PageFile {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly media: string;
  readonly etag: string;
  /** Its name changes with its content. */
  readonly isHashed: boolean;
}

/** Where a build of the debugger stands: in the package, or in the repository that it is built in. */
export function builtPageFolder(): string | undefined {
  const places = ['../debugger/', '../../dist/debugger/', '../../debugger/dist/'];
  return places
    .map((place) => fileURLToPath(new URL(place, import.meta.url)))
    .find((folder) => statSync(join(folder, 'index.html'), { throwIfNoEntry: false })?.isFile() === true);
}

/** What is said where a page should be and none is built: so it is in a checkout until somebody builds it. */
export const noPage = 'The debugger is not built: npm run build makes it.';

export class PageFiles {
  readonly #folder: string | undefined;
  #files: ReadonlyMap<string, PageFile> | undefined;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Answers a GET of a path outside of the API. @throws AxleError `route-unknown` */
  answer(path: string, request: Request): Response {
    this.#files ??= this.#folder === undefined ? new Map() : readFiles(this.#folder);
    const file = this.#files.get(path) ?? (extname(path) === '' ? this.#files.get('/index.html') : undefined);
    if (file === undefined) {
      const why = this.#files.size > 0 ? '' : ` ${noPage}`;
      throw new AxleError('route-unknown', `There is nothing at ${path}.${why}`);
    }
    const headers = {
      'content-type': file.media,
      etag: file.etag,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': pagePolicy,
    };
    // Compression makes a weak tag of it, which still means the same file.
    const known = request.headers.get('if-none-match')?.replace(/^W\//, '');
    if (known === file.etag) return new Response(null, { status: 304, headers });
    return new Response(file.content, { headers });
  }
}

function readFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const place = join(entry.parentPath, entry.name);
    const content = new Uint8Array(readFileSync(place));
    const path = `/${relative(folder, place).split(sep).join('/')}`;
    files.set(path, {
      content,
      media: mediaTypes[extname(entry.name)] ?? 'application/octet-stream',
      etag: `"${createHash('sha256').update(content).digest('base64url')}"`,
      isHashed: /[-.][\w-]{8,}\.\w+$/.test(entry.name) && path.startsWith('/assets/'),
    });
  }
  return files;
}
