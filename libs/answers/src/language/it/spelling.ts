// Italian: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const itSpelling: SpellingWords = {
  symbols: {
    '@': 'chiocciola; chiocciolina; at; et; chiocciola at',
    '.': 'punto; dot',
    _: 'trattino basso; underscore; sottolineato; lineetta bassa; under score; trattino in basso',
    '-': 'trattino; meno; lineetta; trattino alto; segno meno; trattino medio; trattino normale',
    '+': 'piu; segno piu',
    '/': 'barra; slash; sbarra; barra obliqua; slesh',
    ':': 'due punti; duepunti',
    '#': 'cancelletto; hashtag',
    '=': 'uguale',
    '&': 'e commerciale',
    '?': 'punto interrogativo',
    '~': 'tilde',
  },
  letters: {
    w: 'doppia vu; doppia v; vu doppia; doppio vu; doppia u; doppio v; vi doppia; doppia vi',
    www: 'tre vu doppie; tripla vu; tre w; tripla w; tre doppie vu; triple w; vu vu vu; tripla vu doppia; triplo w; triplo vu; tre volte w',
    y: 'ipsilon; i greca',
    h: 'acca',
    j: 'i lunga',
    k: 'kappa; cappa',
    l: 'elle',
    m: 'emme',
    n: 'enne',
    r: 'erre',
    s: 'esse',
    f: 'effe',
    x: 'ics',
    z: 'zeta',
    v: 'vu',
    http: 'acca ti ti pi; h ti ti pi',
    https: 'acca ti ti pi esse; h ti ti pi s',
  },
  twice: 'doppio; doppia; due volte',
  thrice: 'triplo; tripla; tre volte',
  zero: 'zero',
  as: 'come; di; come in',
  carriers:
    '([la] mia|il mio|la nostra|il nostro|l|la|il) ((e mail|email|mail) [e]|indirizzo [e mail|email|mail|di posta elettronica]|posta elettronica|sito [web|internet]|pagina [web]|numero [di telefono|di cellulare]|telefono|cellulare|fisso) [e] [il|la|lo]; (e|sarebbe) [il|la|lo]; (mi puo|potete|puo|mi potete) (contattare|chiamare|scrivere|trovare|contattarmi|chiamarmi|scrivermi) (a|al|allo|su); (mi chiami|mi scriva|scrivetemi|chiamatemi) (a|al|allo); si; certo; ok; va bene; allora; ehm; beh; email; e mail; indirizzo; indirizzo email; numero; telefono; il numero; il mio numero e lo; si il mio numero e; certo e; ciao; buongiorno; dunque',
  extension: 'interno; estensione',
  noPart:
    'mio; mia; il; la; lo; le; i; gli; a; al; inviare; invii; scriva; scrivere; contatto; o; lei; io; sono; in; con; per; di; del; nostro; noi; mi; era; sara; se; solo; non; indirizzo; mail; email; ho; ma; usare; usi; andare; vada; visiti; vedere; che; mandi; mandare; l; sia; su; e',
};
