"""Drafts to where people are: Slack, GitLab, a folder; and their answers back."""
