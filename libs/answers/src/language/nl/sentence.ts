// Dutch: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const nlSentence: SentenceWords = {
  changes:
    'niet; niets; geen; nooit; niemand; noch; zonder; behalve; uitgezonderd; in plaats; annuleren; afzeggen; nauwelijks;' +
    'of; ofwel; hetzij; tussen; maakt niet uit; willekeurig; allebei; beide; ergens; een van; hangt ervan af; welke dan ook;' +
    "ongeveer; rond; omstreeks; zo'n; zon; bijna; circa; misschien; waarschijnlijk; mogelijk; wellicht; een paar; paar; enkele; sommige; dozijn; koppel; stel; of zo; ofzo; een stuk of; stuk of; tegen; rondom; plusminus; plus; min; keer; maal; dubbel; denk ik; tiental; eventueel; een of; halve; anderhalf; een beetje; pakweg;" +
    'elke; elk; ieder; iedere; dagelijks; wekelijks; maandelijks; altijd; vaak; per; meestal; alle; s maandags; steeds; telkens; zaterdags; zondags;' +
    'als; indien; tenzij; mits; anders; maar; echter; hoewel; nog; andere; ander; extra; zou; moest; de vorige keer; de volgende keer; van de maand; van het jaar; vooravond; zodra; iets',
  limits:
    'voor de; na; tot; totdat; vanaf; sinds; uiterlijk; ten laatste; ten vroegste; minstens; minimaal; maximaal; hoogstens; ten minste; tenminste; hooguit; meer dan; minder dan; eerder; later; vroeger; onder; boven; begin; eind; einde; midden; tijdens; binnen; volgend op; daarna; daarvoor; vroegst; voordat; nadat; voor vrijdag; voor maandag; voor dinsdag; voor woensdag; voor donderdag; voor zaterdag; voor zondag; door; heen; half',
  meals: 'ontbijt; lunch; diner; avondeten',
  particles: 'af; aan; op; door; na; om; binnen',
  denials: 'niet; niet op; niet om; geen; niet de',
  questions:
    'wat; wanneer; waar; wie; welke; welk; hoe; hoeveel; waarom; hoelaat; waarheen; weten; vraag; vragen; kunt u; kan je; kun je; kunnen jullie; hebben jullie; heeft u; hebt u; zou u; zeg me; is er; zijn er',
  questionOpenings:
    '(kan|kunnen|kon|mag|mogen|moet|moeten|is|zijn|was|waren|heb|heeft|hebben|zal|zullen|wordt|gaat|gaan|kost|komt|ben|bent|doet|vertrekt|rijdt) (ik|we|wij|u|je|jij|jullie|hij|zij|ze|het|er|de|dat|dit|mijn|een)',
  repairs:
    'nee wacht; wacht; wacht even; nee nee; oh nee; o nee; ach nee; nee sorry; sorry; sorry nee; pardon; nee pardon; ik bedoel; nee ik bedoel; ik bedoelde; nee toch; toch; toch maar; nee toch maar; liever; nee liever; doe maar; nee doe maar; of liever; correctie; ik vergis me; nee ik vergis me; beter; nee beter; eigenlijk; eigenlijk nee; nee eigenlijk; excuus; nee excuus; momentje; herstel; fout; nee fout; maak daar; nee maak daar',
  plainYes: 'ja; jazeker; jawel; jep',
  plainNo: 'nee; neen',
  contrasts: 'maar; maar op; maar om; wel',
  greetings:
    'goede (morgen|middag|avond|nacht|dag); goeie (morgen|middag|avond); goedemorgen; goedemiddag; goedenavond; goedendag; fijne (dag|avond); prettig weekend',
  small:
    'in; op; om; aan; te; van; met; bij; naar; uit; en; de; het; een; die; dat; dit; is; zijn; was; waren; wordt; worden; ben; ik; we; wij; hij; zij; ze; u; je; jij; jullie; me; mij; ons; hem; haar; mijn; onze; hier; daar; er; alstublieft; graag; bedankt; dan; nu; zo; ook; totaal; samen; precies; alleen; ja; goed; prima; komen; boeken; reserveren; hebben; heb; heeft; had; vandaag; morgen; gisteren; want; omdat; zal; zullen; gaan; ga; aan tafel; geweest; gebeurd; aankomen; vertrekken; aan; af; al; kom; wil; willen; zou graag; kan; kunnen; geleden',
  people:
    'personen; persoon; mensen; volwassenen; volwassene; gasten; gast; reizigers; reiziger; passagiers; passagier; vrienden; mannen; vrouwen; man; deelnemers; bezoekers; van ons',
  labels:
    'kamer; nummer; nr; vlucht; gate; pagina; sectie; hoofdstuk; straat; snelweg; bus; lijn; etage; verdieping; appartement; stoel; rij; terminal; spoor; perron; kanaal; versie; stap; optie; tafel nummer; zaak; schade; polis; rekening; order; ticket; referentie; reservering; pin; code; toestel; postcode; huis; huisnummer; gebouw; model; klasse; type; maat; artikel; zone; zaal; a; n; bmw; audi; laan; plein',
  articles: 'een',
  dayWords:
    'nacht; nachts; ochtend; ochtends; morgens; middag; middags; avond; avonds; middernacht; namiddag; voormiddag; uur; uren; minuten; minuut; am; pm; kwart',
  doubtful: 'jan; mei; mrt; zo; ma; di; wo; do; vr; za; jun; jul',
  dayPrepositions: 'op; op de; voor de; de',
  feasts:
    '(goede|zwarte|witte) (vrijdag|donderdag|zaterdag); blauwe maandag; vette dinsdag; (eerste|tweede|derde|vierde|laatste) (maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag)',
  buts: 'maar; echter; hoewel; behalve; of; misschien; als; ligt eraan; deels; niet zeker; en nee; en ja; tenzij',
  undecided:
    'weet (ik|ik het) niet; ik weet (het|het niet|niet); ik weet het niet; geen (idee|probleem); niet zeker; ik ben niet zeker; ja en nee; nee en ja; misschien; wie weet',
  requests:
    '(kan|kunnen|kunt|mag|zou) (ik|we|wij|u|je) [ook] [mij|me|ons|voor (mij|ons)] (een|n) (tafel|kamer|afspraak)',
  corrects: 'maar; liever; (ik|wij|we) (zei|bedoel|bedoelde); doe maar',
  past: 'was; waren; had; hadden; geweest; verloren; vergeten; gegeten; gebeurd; gekomen; betaald',
  parties: 'tafel voor; (wij|we) zijn; groep van',
};
