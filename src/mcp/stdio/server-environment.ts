/** Which of the host's environment variables a server may see: enough to run, none of the host's secrets. */

/** The variables that are handed on when the host has them. Everything else must be declared. */
const inherited: ReadonlySet<string> = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TEMP',
  'TERM',
  'TMP',
  'TMPDIR',
  'TZ',
  'USER',
  // Windows starts hardly any program without these.
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

/**
 * The environment of a server: the inherited variables of the host, then what the user declared.
 * A value that starts with `()` is left out, since an old bash would run it as a function.
 */
export function serverEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  declared: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || value.startsWith('()')) continue;
    if (inherited.has(name.toUpperCase()) || name.startsWith('LC_')) environment[name] = value;
  }
  return { ...environment, ...declared };
}
