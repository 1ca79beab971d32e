"""fireplan: artillery procedures of wargames, written once and played, refereed, solved and compared.

This package is the neutral core. It holds no game: games are separate distributions found through the entry
point group `fireplan.games`. Public names live in the sub-packages; importing this one loads none of them.
"""
