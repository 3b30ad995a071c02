"""What the three levels share: their models, the store's ports, and the two stores."""
