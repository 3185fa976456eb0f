/** What tests look for inside of the page. Node never imports these functions: each is sent to the browser as text, so each stands by itself. */

export interface Looks {
  readonly hacked: boolean;
  readonly elements: readonly string[];
  readonly handlers: number;
  readonly addresses: readonly string[];
  readonly hidden: string | undefined;
  /** The element that makes the page wider than its window. */
  readonly tooWide: string | undefined;
  readonly longTitle: boolean;
}

/** What must not be there: something that ran, an element or an address that came out of a text, a character that hides or turns, anything wider than the page. */
export function looks(): Looks {
  const strange = 'img, script, iframe, object, embed, link, style, base, meta, video, source, math, animate';
  const shown = document.querySelector('main')?.innerText.replaceAll(/[\n\t\u200c\u200d]/g, '') ?? '';
  return {
    hacked: 'hacked' in window,
    elements: [...document.querySelectorAll(`main :is(${strange})`)].map((element) => element.tagName),
    handlers: [...document.querySelectorAll('*')].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith('on')),
    ).length,
    addresses: [...document.querySelectorAll<HTMLAnchorElement>('main a')]
      .map((link) => link.protocol)
      .filter((protocol) => protocol !== 'http:' && protocol !== 'https:'),
    hidden: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.exec(shown)?.[0],
    tooWide: widest(),
    longTitle: document.title.length > 200,
  };
}

/** What reaches furthest over the edge of the window, where the page is wider than that; what is scrolled or cut off inside of a part of the page is not. */
export function widest(): string | undefined {
  const { scrollWidth } = document.documentElement;
  if (scrollWidth <= window.innerWidth) return undefined;
  const isCut = (element: Element): boolean => {
    for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== 'visible') return true;
    }
    return false;
  };
  // The text of an element may be wider than its box.
  const reach = (element: Element): number => {
    const { left, width } = element.getBoundingClientRect();
    return left + (isCut(element) ? 0 : Math.max(width, element.scrollWidth));
  };
  const names = [...document.body.querySelectorAll('*')]
    .filter((element) => reach(element) > window.innerWidth)
    .sort((one, other) => reach(other) - reach(one))
    .slice(-3)
    .map((element) => {
      const words = element.textContent.slice(0, 40);
      return `${element.tagName.toLowerCase()}.${element.className} to ${Math.round(reach(element))} px (${words})`;
    });
  return `${scrollWidth} px of ${window.innerWidth}: ${names.join('; ')}`;
}

/** The same for a size of text, with the fonts of other machines: as they are here, all as wide as a typewriter's, and set wide. One line for each in which the page is too wide. */
export async function widestInFonts(fontSize: string): Promise<readonly string[]> {
  document.documentElement.style.fontSize = fontSize;
  // Parts that measure themselves hear of a new size after it is drawn.
  await new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  });
  const found: string[] = [];
  for (const style of ['', '* { font-family: monospace !important }', '* { letter-spacing: 1px !important }']) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    document.adoptedStyleSheets = [sheet];
    const wide = widest();
    if (wide !== undefined) found.push(`${style === '' ? 'as it is' : style}: ${wide}`);
  }
  document.adoptedStyleSheets = [];
  return found;
}

/**
 * Goes elsewhere as a link does, without loading the page again, and waits until what is there stands in full: nothing says that it is being loaded, and one of the parts that
 * make a screen whole is there; where a span is shown, its panel too. By way of a screen that asks for nothing, so that no part of the one before is taken for the new one.
 */
export async function arrive(path: string, whole: string): Promise<void> {
  const go = (address: string): void => {
    window.history.pushState(null, '', address);
    window.dispatchEvent(new PopStateEvent('popstate'));
  };
  const until = async (what: string, holds: () => boolean): Promise<void> => {
    const endMs = performance.now() + 40_000;
    while (!holds()) {
      if (performance.now() > endMs) throw new Error(`${what} did not come: ${document.body.innerText.slice(0, 400)}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
  };
  const has = (selector: string): boolean => document.querySelector(selector) !== null;
  // Below `main` the only thing on that screen is its notice.
  const isBetween = (): boolean =>
    has('main > .notice') && !has('main > .notice.loading') && !has('main > [role=alert]');
  const [stop, hasStopped] =
    path === '/nowhere' ? (['/system', () => has('.system-part')] as const) : (['/nowhere', isBetween] as const);
  go(stop);
  await until(stop, hasStopped);
  const panel = '.span-body :is(section, .json, .pairs, .logs)';
  const wanted = /^\/runs\/[^/]+\?.*span=/.test(path) ? [whole, panel] : [whole];
  go(path);
  await until(path, () => !hasStopped() && !has('.loading') && wanted.every(has));
  // What was drawn last has taken its place and the focus.
  await new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(resolve));
  });
}

/** Shows the page in a theme; `+` is high contrast. What the menu of looks does. */
export function dress(theme: string): void {
  const { dataset } = document.documentElement;
  dataset['theme'] = theme.replace('+', '');
  if (theme.endsWith('+')) dataset['contrast'] = 'more';
  else delete dataset['contrast'];
}

/** From now on the page reads nothing new, as on a machine that was asleep; what it sends still goes out. */
export function sleep(): void {
  const fetch = window.fetch.bind(window);
  window.fetch = (input, options) => (options?.method === 'POST' ? fetch(input, options) : new Promise(() => {}));
}

/**
 * What axe, which is in the page already, finds wrong by WCAG 2.2 AA. `colours` looks at colours alone: all else is the same in every theme. With high contrast they have to
 * be those of AAA.
 */
export async function violations(what: 'all' | 'colours' | 'high-contrast'): Promise<readonly string[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- axe has put itself there.
  const { axe } = window as unknown as { readonly axe: Checker };
  const runOnly = {
    all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
    'high-contrast': { type: 'rule', values: ['color-contrast', 'color-contrast-enhanced', 'link-in-text-block'] },
  }[what];
  const found = await axe.run(document, { runOnly, resultTypes: ['violations'] });
  return found.violations.map(
    ({ id, help, nodes }) =>
      `${id} (${help}): ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 200))
        .join(' and ')}`,
  );
}

interface Checker {
  run(where: Document, options: object): Promise<{ readonly violations: readonly Found[] }>;
}

interface Found {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
