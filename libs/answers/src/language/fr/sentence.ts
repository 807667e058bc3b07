// French: words that change a value in a sentence, and words that do not.
import type { SentenceWords } from '../sentence-words.ts';

export const frSentence: SentenceWords = {
  changes:
    "pas; ne; n; ni; non; jamais; aucun; aucune; rien; sans; sauf; excepte; plutot que; au lieu; annuler; peu importe; n'importe;" +
    'ou; soit; entre; ou bien; sinon; les deux; selon;' +
    'environ; vers; a peu pres; autour; presque; peut etre; probablement; sans doute; quelques; quelque; plusieurs; une dizaine; dizaine; douzaine; vingtaine; trentaine; centaine; couple; couples; ou plus; a peine; autour de; grosso modo; approximativement; fois; double; plus ou moins; aux alentours; demi; moitie; un peu; je crois; peut; disons;' +
    'chaque; tous; toutes; tout les; quotidien; hebdomadaire; mensuel; toujours; souvent; par; d habitude; lundis; mardis; mercredis; jeudis; vendredis; samedis; dimanches; habituellement;' +
    "si; s'il; sauf si; a moins; au cas; pourvu; sinon; autrement; mais; cependant; encore; autre; autres; supplementaire; de plus; pourrais; devrais; aurais; la derniere fois; la prochaine fois; du mois; de l'annee; veille; lendemain; quelque chose",
  limits:
    "avant; apres; jusqu'; jusqu'a; jusqu'au; jusque; depuis; des; a partir; au plus; au moins; minimum; maximum; plus de; moins de; plus tot; plus tard; pendant; durant; debut; fin; milieu; courant; d'ici; des que; suivant; suivante; plus que; moins que; sous; au dela; dessus; dessous",
  meals: 'petit dejeuner; dejeuner; diner; gouter; souper',
  particles: '',
  denials: 'pas; pas le; pas a; pas la; pas un; non pas',
  questions:
    "quand; quel; quelle; quels; quelles; combien; comment; pourquoi; qui; quoi; est ce que; est-ce; qu'est; a quelle; y a t il; avez vous; pouvez vous; pourriez vous; puis je; savoir; demander; question; peut on; ouvrez vous; etes vous; dites moi; que; ou est; d'ou",
  questionOpenings:
    '(est|sont|avez|pouvez|puis|peut|peux|ai|as|a|faut|etes|sera|serait|fait) (vous|je|on|tu|il|elle|ils|elles|t|ce)',
  repairs:
    "non attendez; attendez; attends; non attends; non non; ah non; oh non; mais non; euh non; non pardon; pardon; pardon non; excusez moi; non excusez moi; je veux dire; non je veux dire; je voulais dire; plutot; non plutot; ou plutot; enfin; enfin non; en fait; en fait non; non en fait; je me trompe; je me suis trompe; je corrige; correction; rectification; desole; non desole; desolee; disons plutot; c'est plutot; mieux; finalement; finalement non; non finalement",
  plainYes: 'oui; ouais; si',
  plainNo: 'non; nan',
  contrasts: 'mais; mais le; mais plutot; plutot',
  greetings: 'bonjour; bonsoir; bonne (journee|soiree|nuit); bon (apres-midi|week-end)',
  small:
    "passe; vient; viens; venons; a; au; aux; en; de; du; des; d; le; la; les; l; un; une; et; dans; sur; pour; avec; par; chez; je; j; nous; on; il; elle; ils; vous; tu; me; m; se; s; y; ce; c; cet; cette; ces; mon; ma; mes; notre; nos; son; sa; est; suis; sommes; sont; sera; serons; seront; etait; etais; etions; ai; avons; as; ont; ici; la bas; s'il vous plait; merci; alors; donc; aussi; bien; seulement; exactement; total; tout; que; qui; car; parce; vais; va; allons; arriver; venir; partir; reserver; aujourd'hui; demain; hier; deja; ok; parfait; possible; convient; arrive; arrivons",
  people:
    'personnes; personne; adultes; adulte; invites; invite; convives; voyageurs; voyageur; passagers; passager; clients; amis; gens; hommes; femmes; couverts; participants; visiteurs; de nous',
  labels:
    'chambre; numero; no; vol; porte; page; section; chapitre; rue; route; autoroute; bus; ligne; etage; appartement; siege; rang; terminal; quai; chaine; version; etape; option; table numero; dossier; sinistre; police; contrat; compte; commande; billet; reference; reservation; code; poste; batiment; maison; immeuble; modele; classe; type; taille; article; a; arrondissement; zone; salle; bis; peugeot; renault; lot; avenue; boulevard',
  articles: 'un; une',
  dayWords:
    'matin; matinee; midi; apres-midi; soir; soiree; nuit; minuit; aube; crepuscule; heure; heures; minutes; minute; am; pm; h; quart; demie',
  doubtful: 'lun; mer; jeu; ven; sam; dim; mars; second; premier; mai',
  dayPrepositions: 'le; pour le; du; au',
  feasts:
    '(lundi|dimanche|mardi) (de paques|de pentecote|gras); vendredi (saint|fou|noir); mercredi des cendres; dimanche des rameaux; (habits|tenue|costume|robe|messe|repas|marche|peintre|conducteur|chauffeur) du (lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche); jeudi (saint|noir|de l); (premier|deuxieme|troisieme|dernier|second) (lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche); (lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche) en (huit|quinze)',
  buts: 'mais; cependant; toutefois; sauf; ou; peut etre; si; ca depend; en partie; pas sur; et non; et oui; pourtant',
  undecided:
    'je (ne sais|sais) pas; sais pas; aucune idee; pas sur; je (ne suis|suis) pas (sur|sure); oui et non; non et oui; pas de (probleme|souci); peut etre; aucun probleme',
  requests:
    '(puis je|pourrais je|pouvez vous|pourriez vous|peut on|est ce que (je peux|nous pouvons|on peut)|je peux|on peut) [me|nous] (reserver|prendre|faire|avoir|noter)',
  corrects: 'mais; plutot; (je|nous) (disais|dis|voulais dire); mettez',
  past: 'etais; etait; etions; avais; avait; avions; perdu; oublie; passe; alle; alles; venu; venus; mange; laisse',
  parties: 'table pour; nous sommes; on est; nous serons; on sera; groupe de',
};
