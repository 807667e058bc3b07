// French: letters, digits and symbols as they are said.
import type { SpellingWords } from '../spelling-words.ts';

export const frSpelling: SpellingWords = {
  symbols: {
    '@': 'arobase; arrobase; arobas; arobaz; at; chez; a commercial; arobaze; arobase',
    '.': 'point; dot',
    _: 'tiret bas; underscore; souligne; tiret du bas; tiret du huit; trait bas; under score',
    '-': "tiret; trait d'union; moins; tiret du six; tiret haut; tiret du milieu; signe moins",
    '+': 'plus; signe plus',
    '/': 'slash; barre oblique; barre',
    ':': 'deux points; deux point; deux-points',
    '#': 'diese; hashtag',
    '=': 'egal; egale',
    '&': 'et commercial; esperluette',
    '?': "point d'interrogation",
    '~': 'tilde',
  },
  letters: {
    w: 'double v; double ve; double vee; doublevé',
    www: 'trois w; triple w; trois double v; triple double v; trois doubles v',
    y: 'i grec',
    h: 'hache',
    z: 'zede; zed',
  },
  twice: 'double; deux fois',
  thrice: 'triple; trois fois',
  zero: 'zero; o',
  as: 'comme; comme dans',
  carriers:
    "(mon|mes|notre|l|la|le|ma) ((e mail|email|mail) [adresse]|adresse [(e mail|email|mail|electronique)]|courriel|site [web|internet]|page|numero [de telephone|de portable|de mobile]|telephone|portable|mobile|fixe) (est|c est|serait) [le|la|l]; (c est|ce sera|ce serait|voici) [le|la|l]; (vous pouvez) (me joindre|m ecrire|me contacter|m appeler) (a|au|sur|sous); (joignez|contactez|appelez|ecrivez) (moi|nous) (a|au|sur); c est (le|la); oui; d'accord; bien sur; ok; alors; euh; bon; email; e mail; adresse; adresse mail; adresse email; numero; telephone; mon numero c est le; mon numero c est; alors c est le; alors c est; oui c est le; bonjour; le",
  extension: 'poste; extension',
  noPart:
    'mon; ma; mes; est; le; la; les; c; ce; a; envoyer; envoyez; ecrire; ecrivez; contact; contacter; ou; et; vous; je; suis; sur; avec; pour; de; du; notre; nous; moi; etait; sera; si; seulement; pas; adresse; mail; email; courriel; ai; joindre; mais; utiliser; allez; aller; voir; visitez; l; d; au',
};
