// Lets main.go declare a function without its body.
