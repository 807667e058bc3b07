// German: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const deSentence: SentenceWords = {
  changes:
    'nicht; nichts; kein; keine; keinen; keinem; keiner; keines; nie; niemals; niemand; weder; noch; ohne; ausser; statt; anstatt; anstelle; kaum; stornieren; absagen;' +
    'oder; entweder; zwischen; beziehungsweise; bzw; egal; irgendwann; irgendein; irgendwas; beliebig; jederzeit; wahlweise; beide; beides; alternativ;' +
    'ungefahr; etwa; circa; ca; rund; gegen; fast; beinahe; knapp; gut und gerne; vielleicht; eventuell; moglicherweise; wahrscheinlich; vermutlich; wohl; ein paar; paar; einige; mehrere; dutzend; halbe; halb; halbes; oder so; so um; herum; rum; schatzungsweise; zirka; plus; minus; mal; doppelt; einmal; zweimal; dreimal; gruppen; anderthalb; bestimmt;' +
    'jeden; jede; jedes; jeder; taglich; wochentlich; monatlich; jahrlich; immer; meistens; oft; pro; montags; dienstags; mittwochs; donnerstags; freitags; samstags; sonntags; stets; jeweils; alle;' +
    'wenn; falls; sofern; ausser wenn; ob; ansonsten; sonst; konnte; wurde gerne wissen; sollte; aber; obwohl; jedoch; sondern; noch ein; weitere; weiteren; zusatzlich; anderer; anderen; andere; im monat; des monats; des jahres; heiligabend',
  limits:
    'vor; nach; bis; ab; seit; spatestens; fruhestens; mindestens; hochstens; maximal; minimal; wenigstens; mehr als; weniger als; fruher; spater; uber; unter; ehe; bevor; nachdem; wahrend; innerhalb; anfang; ende; mitte; davor; danach; folgenden; folgende; folgender; erst',
  meals: 'fruhstuck; mittagessen; abendessen; abendbrot; kaffee',
  particles: 'ab; an; auf; vor; um; nach; zu; bei',
  denials: 'nicht; nicht am; nicht um; kein; keine; keinen',
  questions:
    'was; wann; wo; wer; wie; welche; welcher; welches; welchen; welchem; warum; wieso; weshalb; wieviel; woher; wohin; wem; wen; wissen; frage; fragen; sagen sie mir; gibt es; haben sie; konnen sie; konnten sie; wurden sie',
  questionOpenings:
    '(kann|konnen|konnte|konnten|darf|durfen|soll|sollen|will|ist|sind|war|waren|hat|haben|habe|hatte|hatten|gibt|geht|wird|werden|muss|mussen|habt|seid|bin|fahrt|fahren|kommt|kostet|kosten|macht|machen|reicht|passt) (ich|wir|sie|es|er|man|du|ihr|der|die|das|den|dem|ein|eine|einen|mein|meine|unser|ihre|noch|am|um)',
  repairs:
    'ach nein; ach ne; nein nein; nein warte; nein warten sie; warte; warten sie; moment; moment nein; halt; nein halt; nein doch; doch; quatsch; entschuldigung; entschuldigung nein; nein entschuldigung; ach; ach quatsch; ich meine; ich meinte; nein ich meine; nein ich meinte; vielmehr; besser gesagt; beziehungsweise nein; korrektur; falsch; nein falsch; verzeihung; sorry; nein sorry; tut mir leid; nein lieber; doch lieber; lieber; doch besser; besser; nein besser; stopp; pardon; eigentlich; eigentlich nein',
  plainYes: 'ja; jawohl; jo; jep; doch',
  plainNo: 'nein; ne; nee',
  contrasts: 'sondern; sondern am; sondern um',
  greetings:
    'guten (morgen|tag|abend|nachmittag); gute nacht; schonen (tag|abend); schones wochenende; morgen zusammen; gruss gott; ich hatte gern; ich hatte gerne; wir hatten gern; wir hatten gerne',
  small:
    'in; im; am; an; um; auf; fur; mit; und; zu; zum; zur; von; vom; bei; der; die; das; den; dem; des; ein; eine; einen; ist; sind; war; waren; wird; werden; ich; wir; er; sie; es; du; ihr; mich; uns; mir; ihn; ihm; hier; da; dort; bitte; danke; dann; jetzt; so; auch; insgesamt; zusammen; genau; nur; ja; gut; passt; kommen; buchen; reservieren; bestellen; haben; sein; heute; morgen; gestern; als; weil; dass; ware; waren; brauchen; ein; aus; gekommen; gewesen; passiert; wegen; stuck; zwecks; hatten; wollen; mochten; wurden; habe; hat; kann; konnen; dabei; geht; ginge; reicht; vorbei; los; anreisen; abreisen; angekommen; ankommen; weg; zuruck',
  people:
    'personen; person; leute; erwachsene; erwachsenen; erwachsener; gaste; gasten; mann; menschen; reisende; teilnehmer; freunde; freunden; besucher; fahrgaste; von uns',
  labels:
    'zimmer; nummer; nr; flug; gate; seite; abschnitt; kapitel; strasse; autobahn; linie; bus; etage; stock; wohnung; sitz; reihe; terminal; gleis; kanal; version; schritt; option; fall; schaden; police; konto; auftrag; ticket; referenz; buchung; pin; code; durchwahl; postleitzahl; plz; haus; hausnummer; halle; tor; tisch nummer; modell; klasse; teil; typ; grosse; paragraph; artikel; a; b; bmw; audi; golf; bundesstrasse; block; raum; platz; box; bereich; zone',
  articles: 'ein; eine; eins; einer; einem',
  dayWords:
    'viertel; dreiviertel; nacht; nachts; morgens; vormittags; mittags; nachmittags; abends; abend; nachmittag; vormittag; mittag; mitternacht; fruh; morgengrauen; uhr; stunden; stunde; minuten; minute; sekunden',
  doubtful: 'jan; mai; so; mo; di; mi; do; fr; sa; mar; tag',
  dayPrepositions: 'am; zum; fur den; den; vom; auf den',
  feasts:
    '(schwarzer|schwarzen|langer|langen) (freitag|samstag); weisser sonntag; (herr|herrn|frau|familie|robinson) (montag|freitag|samstag|sonntag); blauer montag; (erster|ersten|zweiter|zweiten|dritter|dritten|vierter|vierten) (montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)',
  buts: 'aber; jedoch; allerdings; obwohl; ausser; oder; vielleicht; wenn; falls; kommt drauf an; teilweise; nicht sicher; und nein; und ja; zum teil; doch',
  undecided:
    '(ich) (weiss|weiss es) nicht; weiss (ich|ich es) nicht; weiss nicht; keine ahnung; nicht sicher; bin (mir|ich) nicht sicher; kann (ich|sein) nicht sagen; jein; ja und nein; nein und ja; kein problem; ach so; ja ja; mal sehen',
  requests:
    '(kann|konnte|konnten|konnen|darf|durfte|durften|wurden|wurde) (ich|wir|sie|man) [bitte] [noch] [bei ihnen] [mir|uns|fur (mich|uns)] [bitte] (einen|den|nen|ein) (tisch|termin|zimmer|platz)',
  corrects:
    'aber; aber (am|um|bitte); sondern; lieber; doch lieber; besser; (ich|wir) (sagte|meine|meinte|wollte|sagten|meinten|wollten); machen sie',
  past: 'hatte; hatten; war; waren; wurde; gab; ging; kam; gewesen; verloren; vergessen; passiert; gegessen; gekommen; liegen lassen; liegengelassen; verpasst; bezahlt',
  parties: 'tisch fur; wir sind; sind wir; wir waren; gruppe von',
};
