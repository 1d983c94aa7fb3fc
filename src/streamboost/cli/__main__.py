from streamboost.cli import main

main()
