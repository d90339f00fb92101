"""The algorithms of adversarial search, each as short as can be, and experiments with them."""
