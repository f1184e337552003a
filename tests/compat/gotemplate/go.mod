module tazuna.example/gotemplate

go 1.22
