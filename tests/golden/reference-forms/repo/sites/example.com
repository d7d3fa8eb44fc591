server_name example.com;
