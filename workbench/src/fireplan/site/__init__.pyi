from fireplan.site._build import build as build
