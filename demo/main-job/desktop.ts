// Whether somebody sits here who could look at a browser.

export interface Desk {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Whether there is a desktop on which a browser could open unasked. */
export function hasDesktop({ platform, environment }: Desk): boolean {
  // Whoever came through the network sits before another screen.
  if (isSet(environment['SSH_CONNECTION'])) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  return isSet(environment['DISPLAY']) || isSet(environment['WAYLAND_DISPLAY']);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
