// A link or picture address from a sender, which a person's browser opens. Excludes links that a
// browser would run.
import { z } from 'zod';

const LINK_CHARS_MAX = 2_048;
const PAGE = 'https://page.invalid';
/** Browsers drop tabs and line breaks, and read a backslash as a slash. */
const UNSAFE = /[\s\p{Cc}\\]/u;

/** An https address. */
export function isHttpsAddress(text: string): boolean {
  return /^https:\/\//i.test(text) && !UNSAFE.test(text) && URL.canParse(text);
}

/** A path of the page that shows it, such as `/orders/7`; `//other` is another host. */
function isPath(text: string): boolean {
  return (
    text.startsWith('/') &&
    !UNSAFE.test(text) &&
    URL.canParse(text, PAGE) &&
    new URL(text, PAGE).origin === PAGE
  );
}

const text = z.string().min(1).max(LINK_CHARS_MAX);

export const httpsAddress = text.refine(isHttpsAddress, 'must be an https address');
export const link = text.refine(
  (given) => isHttpsAddress(given) || isPath(given),
  'must be an https address, or a path of your page that begins with one /',
);
