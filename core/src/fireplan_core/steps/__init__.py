"""Steps, their effects and questions, the view that they read, and the base class of parts."""
