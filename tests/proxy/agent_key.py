"""The secrets that agent.py sends."""
KEY = "sk-ant-a-key-that-nobody-may-keep-0123456789"
COOKIE = "a-cookie-that-nobody-may-keep"
