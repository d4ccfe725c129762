// placeholder until the first .cc lands
