// French.
import { counted, tensAndUnits } from '../spell.ts';
import type { Lexicon } from '../language.ts';

const units = 'un deux trois quatre cinq six sept huit neuf';
const teens = 'dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf';
const upTo19 = `${units} ${teens}`;
const spaced = (word: string): string => word.replace('_', ' ');
const join = (ten: string, unit: string): string[] =>
  unit === 'un' ? [`${ten} et un`, `${ten} et une`, `${ten} un`] : [`${ten} ${spaced(unit)}`];

export const fr: Lexicon = {
  numbers: {
    small: [
      ...counted(`zero ${upTo19}`).map(([word, value]) => [spaced(word), value] as const),
      ['une', 1],
      ...tensAndUnits('vingt trente quarante cinquante soixante', units, join),
      ['soixante et onze', 71],
      ...tensAndUnits('soixante', teens, (ten, unit) => [`${ten} ${spaced(unit)}`], 69).slice(1),
      ...tensAndUnits('_', upTo19, (_, unit) => [`quatre vingt ${spaced(unit)}`], 80).slice(1),
      ['quatre vingt une', 81],
      ['quatre vingts', 80],
      ['quatre vingt', 80],
      ...tensAndUnits('septante', units, join, 70),
      ...tensAndUnits('huitante', units, join, 80),
      ...tensAndUnits('nonante', units, join, 90),
    ],
    hundred: 'cent; cents',
    bareScale: true,
    scales: [
      ['mille; milles', 1e3],
      ['million; millions', 1e6],
      ['milliard; milliards', 1e9],
    ],
    and: '',
    minus: 'moins',
    point: 'virgule; point',
    groupedDecimals: true,
    one: '',
    ordinals: [['premier', 1]],
    ordinalSuffixes: 'er; ere; e; eme',
  },
  fillers:
    "s'il vous plait; s'il te plait; merci; oui; ok; okay; d'accord; bien; alors; euh; bon; bonjour; (c'est|ce sera|ce serait); je (voudrais|veux|prends|prefere|choisis|pense); (j'aimerais|je souhaite|je souhaiterais); nous (voudrions|voulons|prenons|preferons); donnez moi; disons; la reponse est",
  numberFillers:
    "j'ai; nous sommes; on est; il y a; il a; elle a; mon age est; le nombre est; numero; en tout; au total; exactement; seulement",
  corrections:
    "non ,; non [,] (j'ai dit|je disais|je voulais dire|nous avons dit); (j'ai dit|je disais|je voulais dire|nous avons dit); pardon",
  groups: [],
  idiomDays: [8, 15],
  ages: "j'ai {n} ans; {n} ans d'age",
  choiceFillers: 'le; la; les; l; un; une; des; du; option; en; celui; celle',
  momentGlue: 'a; le; la; les; du; de; en; pour; l',
  momentFillers:
    "(ma date de naissance|mon anniversaire|mon rendez-vous|le rendez-vous) est; je suis (ne|nee); (ca|cela) me (va|convient); je peux; nous pouvons; (c'est|serait) (bien|parfait); pile; precises; date; heure",
  yes: "oui; ouais; si; si merci; si s'il vous plait; exact; exactement; correct; vrai; ok; okay; d'accord; bien sur; certainement; absolument; tout a fait; volontiers; parfait; entendu; 1; true; oui (s'il vous plait|s'il te plait|merci|bien sur|c'est (exact|correct|vrai|bien ca|ca)|tout a fait); (c'est) (exact|correct|vrai|bien ca|ca|bon); je confirme; avec plaisir; effectivement; en effet",
  yesOrIf: 'si',
  no: "non; nan; non merci; pas vraiment; pas du tout; jamais; faux; incorrect; bien sur que non; absolument pas; certainement pas; surtout pas; 0; false; (c'est) (faux|incorrect); (ce n'est pas|c'est pas) (exact|correct|vrai|ca|bon); non (ce n'est pas|c'est pas) (exact|correct|vrai|ca|bon); je ne (veux|crois|pense) pas; je n'en veux pas; pas encore; pas maintenant; merci non",
  eitherWay:
    "tout le monde va bien; tout va bien; (je vais|nous allons|on va) bien; c'est tout; personne n'est blesse; madame; monsieur",
  negations: 'pas; ne; n; jamais; ni; sauf; sans; plutot que; au lieu de',
  streets: /^(?:rue|avenue|boulevard|place|chemin|quai)$/,
  and: 'et',
  names: {
    months: [
      ...['janvier; janv; jan', 'fevrier; fevr; fev', 'mars', 'avril; avr', 'mai', 'juin'],
      ...['juillet; juil', 'aout', 'septembre; sept; sep', 'octobre; oct', 'novembre; nov', 'decembre; dec'],
    ],
    weekdays: [
      'lundi; lun',
      'mardi',
      'mercredi; mer',
      'jeudi; jeu',
      'vendredi; ven',
      'samedi; sam',
      'dimanche; dim',
    ],
    units: [
      ...[
        'seconde; secondes',
        'minute; minutes; min',
        'heure; heures; h',
        'jour; jours',
        'semaine; semaines',
      ],
      ...['mois', 'an; ans; annee; annees'],
    ],
    parts: [
      ...['am', 'pm', 'du matin; le matin; matin', "de l'apres-midi; l'apres-midi; apres-midi"],
      ...['du soir; le soir; soir', 'de la nuit; la nuit'],
    ],
    quarter: 'quart; un quart; le quart',
    half: 'demi; demie',
    threeQuarters: 'trois quarts',
    oh: 'zero',
  },
  moments: {
    today: "aujourd'hui",
    tomorrow: 'demain',
    yesterday: 'hier',
    overmorrow: 'apres demain',
    ereyesterday: 'avant hier',
    now: 'maintenant',
    thisMorning: 'ce matin',
    thisAfternoon: 'cet apres-midi; cette apres-midi',
    tonight: 'ce soir',
    weekday: '[le] {weekday}',
    thisWeekday: 'ce {weekday}; {weekday} cette semaine',
    nextWeekday: '{weekday} de la semaine prochaine; {weekday} la semaine prochaine',
    eitherWeekday: '[le] {weekday} prochain',
    lastWeekday: '{weekday} (dernier|passe)',
    dayMonth: '[le] {d} du {mn} [{year}]; [le] {d} [de|du mois de] {month} [de] [{year}]',
    dayOnly: 'le {d}; {ordinal}',
    dayThisMonth: '[le] {d} (de ce|du) mois [ci]; [le] {d} ce mois ci',
    dayNextMonth: '[le] {d} du mois (prochain|suivant); le mois prochain le {d}; [le] {d} le mois prochain',
    dayLastMonth: '[le] {d} du mois (dernier|passe); le mois dernier le {d}; [le] {d} le mois dernier',
    lastNight: 'hier soir; cette nuit derniere; la nuit derniere; hier dans la nuit',
    weekdayLastWeek:
      '{weekday} [de] la semaine (derniere|passee); la semaine (derniere|passee) [le] {weekday}',
    unitsFromTomorrow: '{n} {unit} a partir de demain; demain en {n} {unit}',
    vague:
      '(la semaine|le mois) (prochaine|prochain|derniere|dernier); (cette semaine|ce mois|cette annee); annee (prochaine|derniere); an (prochain|dernier); [en] {month} [{year}]; [le|ce] (week-end|weekend)',
    inUnits: 'dans {n} {unit}',
    inTwoUnits: 'dans {n} {unit} et {n} {unit}',
    inHalfHour: 'dans une demi heure',
    unitsAgo: "il y a {n} {unit}; [aujourd'hui] y a {n} {unit}; ca fait {n} {unit}",
    noon: '[a] midi',
    midnight: '[a] minuit',
    hour: '[a] {h} (heure|heures|h) [{part}]; a {h} [{part}]',
    hourPart: '{h} {part}',
    hourMinute: '[a] {h} (heure|heures|h) {mm} [{part}]; a {h} {mm}',
    hourPast: '[a] {h} (heure|heures|h) [et] {m} [minutes|minute] [{part}]',
    hourTo: '[a] {h} (heure|heures|h) moins {m} [{part}]',
    pastNoon: '[a] midi [et] {m}',
    pastMidnight: '[a] minuit [et] {m}',
    toNoon: '[a] midi moins {m}',
    toMidnight: '[a] minuit moins {m}',
    or: 'ou',
    range: "jusqu'a; jusqu'au; au; entre; -; et",
  },
};
