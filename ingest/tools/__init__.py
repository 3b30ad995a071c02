"""Declared tools: read from OpenAI, MCP and OpenAPI documents, kept for a project, given to runs that declare none."""
