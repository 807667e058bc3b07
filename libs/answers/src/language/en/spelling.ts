// English: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const enSpelling: SpellingWords = {
  symbols: {
    '@': 'at; at sign; at symbol; at the rate; at the rate of',
    '.': 'dot; period; point; full stop',
    _: 'underscore; under score; underline; low dash',
    '-': 'dash; hyphen; minus; hyphen minus; minus sign; hyphen sign',
    '+': 'plus; plus sign',
    '/': 'slash; forward slash',
    ':': 'colon',
    '#': 'hash; hashtag; pound sign',
    '=': 'equals; equal sign; equals sign',
    '&': 'ampersand; and sign',
    '?': 'question mark',
    '~': 'tilde',
  },
  letters: { w: 'double u; double you; dub', z: 'zee; zed', www: 'triple double u; triple w; dub dub dub' },
  twice: 'double',
  thrice: 'triple; treble',
  zero: 'oh; o; nought; naught; null; zero; nil',
  as: 'as in; for; like; as; in',
  carriers:
    "(my|the|our|his|her) [personal|work|business|home|mobile|cell|contact] ((e mail|email|mail) [address]|address|website|web site|web address|web page|page|site|url|link|homepage|phone number|phone|telephone number|telephone|number|mobile number|mobile|cell number|cell|phone's) (is|would be|was|'s) [at]; (it is|it's|its|that is|that's|this is|it would be|that would be) [at]; (you can|please|you may) (reach|call|email|contact|find) (me|us) (at|on|under|via); (reach|call|email|contact|find) (me|us) (at|on|under|via); email; e mail; email address; address; phone; number; website; (go|went|visit|visiting|look) (to|at); at number; i'm (on|at); i am (on|at); the number's; please (write|send) [it] to; yes; yeah; ok; okay; sure; so; well; um; uh; hi; hello; of course; certainly",
  extension: 'extension; ext; extn; x',
  noPart:
    'my; is; the; it; me; to; send; write; mail; email; please; contact; use; using; try; and; or; can; you; reach; i; have; this; that; address; with; for; from; our; we; us; your; his; her; was; will; be; an; was; if; just; on; of; call; check; forward; forwarded; got; get; should; would; go; them; they; he; she; found; meet; work; works; look; looking',
};
