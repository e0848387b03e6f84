// CoordinatorC: x
