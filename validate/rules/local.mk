# Rules for headers, transactions and blocks, and the parameters of each network.
