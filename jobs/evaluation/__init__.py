"""What a level is worth on runs whose right answers are known. Right answers are read here and nowhere else."""
