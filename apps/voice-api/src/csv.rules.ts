// Lines of CSV that a spreadsheet opens without executing anything. Pure.

/** Start of a cell, and the characters that begin a formula there. */
const FORMULA = /(^[\s"]*|[;\t\r\n][\s"]*)([=+\-@＝＋－＠])/g;
/** JSON has no tabs or line breaks, and its cells begin with `{` or `[`. */
const INNER_FORMULA = /(;[\s"\\]*)([=+\-@＝＋－＠])/g;
const escapeSign = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** One record, with its line break. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/**
 * RFC 4180, with every text quoted. Spreadsheets that split at `;` or tabs start cells inside
 * texts. An apostrophe, in JSON an escape, disarms formulas there. Full-width signs begin formulas
 * as well.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const safe =
    typeof value !== 'string'
      ? JSON.stringify(value).replaceAll(
          INNER_FORMULA,
          (_, before: string, sign: string) => before + escapeSign(sign),
        )
      : /^[+-]?\d+$/.test(value) // a phone number
        ? value
        : value.replaceAll(FORMULA, "$1'$2");
  return `"${safe.replaceAll('"', '""')}"`;
}
