"""What is sent, decided in one place: ``plan`` chooses, ``assemble`` makes the request of it.

Pure: no clock, no file, no waiting. What a plan depends on is in its ``PlanInput``.
"""
