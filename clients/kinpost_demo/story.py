"""What is said in the story: by its user, and by agents where the scenario looks for it."""

BEGIN = "Begin."
CELLAR = "Look into the cellar too."
TOWER = "Now survey the tower."
VAULT = "Survey the vault."
COINS = "Count the coins twice."
ASK = "May I begin?"
GUESS = "What have you found?"
RECORD = "For the record: "
SURVEYED = "The archive is surveyed: "
# Nobody's handle.
NOBODY = "scout_00000000"
