// Content negotiation: Accept (RFC 9110 §12.5.1) and If-None-Match (§13.1.2). Pure.

/** The preferred one of `forms`; the first when none is acceptable, as RFC 9110 allows. */
export function chooseForm<Form extends string>(
  accept: string | undefined,
  forms: readonly [Form, ...Form[]],
): Form {
  if (accept === undefined) return forms[0];
  const ranges = accept.split(',').map(parseRange);
  let best = forms[0];
  let bestQuality = 0;
  for (const form of forms) {
    const quality = findQuality(form, ranges);
    if (quality > bestQuality) [best, bestQuality] = [form, quality];
  }
  return best;
}

interface Range {
  readonly type: string;
  readonly quality: number;
}

function parseRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = q === undefined ? 1 : Number(q.slice(2));
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The most specific matching range decides. */
function findQuality(form: string, ranges: readonly Range[]): number {
  for (const type of [form, `${form.split('/')[0]}/*`, '*/*']) {
    const found = ranges.find((one) => one.type === type);
    if (found) return found.quality;
  }
  return 0;
}

/** `*` or a list of tags. Weak tags match as well. */
export function isKnownTag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => {
    const bare = tag.trim().replace(/^W\//, '');
    return bare === etag || bare === '*';
  });
}
