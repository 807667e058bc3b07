// What the fragment of a link says: anybody may have edited it, so other values are ignored.

export interface Link {
  readonly token?: string;
  readonly colorScheme?: 'light' | 'dark';
  /** `#rrggbb` */
  readonly accentColor?: string;
}

export function readLink(fragment: string): Link {
  const given = new URLSearchParams(fragment.replace(/^#/, ''));
  const token = given.get('token');
  const scheme = given.get('color_scheme');
  const accent = given.get('accent_color');
  return {
    ...(token?.startsWith('ptl_') && { token }),
    ...((scheme === 'light' || scheme === 'dark') && { colorScheme: scheme }),
    ...(accent && /^#[0-9a-f]{6}$/i.test(accent) && { accentColor: accent }),
  };
}

/** Black and white have the same contrast to this luminance (WCAG 2.2, relative luminance). */
const MIDDLE_LUMINANCE = 0.179;

/** Text on `background` (`#rrggbb`): black or white, whichever has more contrast. */
export function chooseInk(background: string): '#000000' | '#ffffff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(background.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > MIDDLE_LUMINANCE ? '#000000' : '#ffffff';
}
